package check_test

// edits are the traces of traces/invalid.
var edits = []edit{
	// What a crash leaves, and how nodes start.
	{name: "R4-crash-forgets-its-grantee", from: "restart-silence", at: "Crash & 2 is", text: []string{`"grantee":"4"`, `"grantee":null`}},
	{name: "R4-crash-keeps-its-role", from: "hand-over", at: "Crash & 4 is", text: []string{`"latest":1048576}`, `"latest":1048576,"dated":3,"answered":[]}`, `"role":"follower","leader":null`, `"role":"leader","leader":"4"`}},
	{name: "EpochMonotonic-crash-forgets-its-epoch", from: "hand-over", at: "Crash & 4 is", text: []string{`"epoch":1`, `"epoch":0`}},
	{name: "R30-restart-forgets-its-grantee", from: "restart-silence", at: "Restart & 2 is", text: []string{`"grantee":"4"`, `"grantee":null`}},
	{
		name: "EpochMonotonic-restart-with-an-older-epoch", from: "restart-silence", at: "Restart & 2 is", text: []string{
			`"to":"1","epoch":1`, `"to":"1","epoch":0`, `"to":"3","epoch":1`, `"to":"3","epoch":0`, `"to":"4","epoch":1`, `"to":"4","epoch":0`,
			`"epoch":1,"grantee":"4"`, `"epoch":0,"grantee":null`,
		},
	},
	{name: "R30-restart-without-silence", from: "restart-silence", at: "Restart & 2 is", text: []string{`"leader":"2"`, `"leader":null`}},
	{
		name: "R30-restart-unsaid", from: "leader-back-unnoticed", at: "Restart & 3 is", text: []string{
			`"sent":[{"type":"IM_BACK","from":"3","to":"1","epoch":1,"question":1048577},{"type":"IM_BACK","from":"3","to":"2","epoch":1,"question":1048577}]`, `"sent":[]`,
		},
	},
	{name: "R30-restart-of-a-node-that-runs", from: "restart-silence", at: "Crash & 2 is", how: drops},
	{
		name: "R32-first-start-after-a-crash", from: "leader-back-unnoticed", at: "Restart & 3 is", text: []string{
			`"Restart"`, `"Start"`, `[{"type":"IM_BACK","from":"3","to":"1","epoch":1,"question":1048577},{"type":"IM_BACK","from":"3","to":"2","epoch":1,"question":1048577}]`, `[]`,
			`"role":"electing","leader":"3","lease":0,"epoch":1,"grantee":"3"`, `"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null`,
		},
	},
	{name: "R32-starts-twice", from: "failover", at: "Start & 2 is", how: repeats, after: 1},
	{name: "R32-starts-as-candidate", from: "failover", at: "Start & 2 is", text: []string{`"follower"`, `"candidate"`}},
	{name: "nodes-step-before-the-start", from: "failover", at: "Start & 3 is", how: drops},
	{
		name: "nodes-step-of-a-node-that-is-down", from: "failover", at: "Crash & 3 is", how: inserts, after: 1, text: []string{
			`{"seq":0,"node":"3","action":"PatienceTimeout","input":{"timer":"patience"},"sent":[{"type":"ELECTION","from":"3","to":"1","epoch":1,"question":1048577,"keeps":null},` +
				`{"type":"ELECTION","from":"3","to":"2","epoch":1,"question":1048577,"keeps":null}],"state":{"role":"candidate","leader":null,"lease":0,"epoch":1,"grantee":"3","support":[],"asked":1048577,"latest":1048577}}`,
		},
	},

	// Election.
	{
		name: "R2-claims-beyond-the-last-epoch", from: "last-epoch", at: "ElectionTimeout & 2 is follower & epoch:9007199254740991", text: []string{
			`"sent":[]`, `"sent":[{"type":"CLAIM","from":"2","to":"1","epoch":9007199254740991,"question":1048580},{"type":"CLAIM","from":"2","to":"3","epoch":9007199254740991,"question":1048580}]`,
			`"follower"`, `"claimant"`,
		},
	},
	{name: "R8-patience-ends-and-the-lease-stays", from: "failover", at: "PatienceTimeout & 2 is", text: []string{`"leader":null`, `"leader":"3"`}},
	{name: "R9-pre-emption-drops-the-lease", from: "hand-over", at: "PreemptTimeout", text: []string{`"leader":"3"`, `"leader":null`}},
	{name: "R10-says-ok-and-does-not-ask", from: "cold-start-from-the-lowest", at: "OnElection 1→2", text: []string{
		`,{"type":"ELECTION","from":"2","to":"1","epoch":0,"question":2,"keeps":null},{"type":"ELECTION","from":"2","to":"3","epoch":0,"question":2,"keeps":null},{"type":"ELECTION","from":"2","to":"4","epoch":0,"question":2,"keeps":null}`, ``,
		`"candidate"`, `"follower"`}},
	{name: "R10-ok-of-who-would-not-grant", from: "partition-and-heal", at: "OnElection 1→2 ELECTION epoch:1 & REFUSE", text: []string{`"REFUSE"`, `"OK"`}},
	{name: "R10-ok-amid-the-silence-after-a-restart", from: "leader-back-unnoticed", at: "OnElection 2→3 & REFUSE", text: []string{`"REFUSE"`, `"OK"`}},
	{name: "R11-assents-under-a-lease", from: "failover", at: "OnElection 2→1 & REFUSE", text: []string{`"REFUSE"`, `"ASSENT"`}},
	{name: "R11-gives-way-and-keeps-its-support", from: "stale-leader-is-refused", at: "OnElection 4→2 & ASSENT", text: []string{`"support":[]`, `"support":["1"]`}},
	{name: "R12-ok-does-not-count", from: "cold-start-from-the-lowest", at: "OnOk 2→1", text: []string{`"support":["2"]`, `"support":[]`}},
	{name: "R13-highest-claims-without-a-quorum", from: "hand-over", at: "OnAssent 1→4", text: []string{
		`"sent":[]`, `"sent":[{"type":"CLAIM","from":"4","to":"1","epoch":1,"question":3},{"type":"CLAIM","from":"4","to":"2","epoch":1,"question":3},{"type":"CLAIM","from":"4","to":"3","epoch":1,"question":3}]`,
		`"candidate"`, `"claimant"`, `"support":["1"]`, `"support":[]`}},
	{name: "R14-claims-without-support", from: "failover", at: "ElectionTimeout & 2 is follower", text: []string{
		`"sent":[]`, `"sent":[{"type":"CLAIM","from":"2","to":"1","epoch":2,"question":3},{"type":"CLAIM","from":"2","to":"3","epoch":2,"question":3}]`, `"follower"`, `"claimant"`}},
	{name: "R14-claims-its-own-epoch-again", from: "failover", at: "ElectionTimeout & CLAIM", text: []string{`"to":"1","epoch":2`, `"to":"1","epoch":1`, `"to":"3","epoch":2`, `"to":"3","epoch":1`}},
	{name: "R14-promises-what-it-claims", from: "failover", at: "ElectionTimeout & CLAIM", text: []string{`"epoch":1,"grantee":"3"`, `"epoch":2,"grantee":"2"`}},
	{name: "R15-asks-and-keeps-its-lease", from: "restart-silence", at: "CoordinatorTimeout & 2 is", text: []string{`"leader":null`, `"leader":"2"`}},

	// Claim.
	{name: "R17-grants-epoch-promised-to-another", from: "claim-lost-to-a-rival", at: "OnClaim 4→1 CLAIM epoch:1 & REFUSE", text: []string{
		`"REFUSE"`, `"GRANT"`, `"leader":"5"`, `"leader":"4"`, `"grantee":"5"`, `"grantee":"4"`}},
	{name: "R17-grants-under-a-lease", from: "hand-over", at: "OnClaim 4→1 CLAIM epoch:3 & REFUSE", text: []string{
		`"REFUSE","from":"1","to":"4","epoch":2`, `"GRANT","from":"1","to":"4","epoch":3`, `"role":"follower","leader":"3","lease":3,"epoch":2,"grantee":"3"`, `"role":"electing","leader":"4","lease":3,"epoch":3,"grantee":"4"`}},
	{name: "R17-grants-amid-the-silence-after-a-restart", from: "leader-back-unnoticed", at: "OnClaim 2→3 & REFUSE", text: []string{
		`"REFUSE","from":"3","to":"2","epoch":1`, `"GRANT","from":"3","to":"2","epoch":2`, `"leader":"3","lease":0,"epoch":1,"grantee":"3"`, `"leader":"2","lease":0,"epoch":2,"grantee":"2"`}},
	{name: "R17-grants-without-a-promise", from: "failover", at: "OnClaim 2→1", text: []string{`"epoch":2,"grantee":"2"`, `"epoch":1,"grantee":"3"`}},
	{name: "R17-refuses-what-it-should-grant", from: "failover", at: "OnClaim 2→1", text: []string{`"GRANT","from":"1","to":"2","epoch":2`, `"REFUSE","from":"1","to":"2","epoch":1`}},
	{name: "R17-does-not-wait-after-its-grant", from: "failover", at: "OnClaim 2→1", text: []string{`"electing"`, `"follower"`}},
	{name: "R18-hands-over-in-silence", from: "hand-over", at: "OnClaim 4→3 CLAIM epoch:3", text: []string{
		`,{"type":"RESIGN","from":"3","to":"1","epoch":2,"question":5,"granted":{"by":"4","epoch":3,"question":1048579}},{"type":"RESIGN","from":"3","to":"2","epoch":2,"question":5,"granted":{"by":"4","epoch":3,"question":1048579}},{"type":"RESIGN","from":"3","to":"4","epoch":2,"question":5,"granted":{"by":"4","epoch":3,"question":1048579}}`, ``}},
	{name: "R18-leads-on-after-its-grant", from: "hand-over", at: "OnClaim 4→3 CLAIM epoch:3", text: []string{`"latest":5}`, `"latest":5,"dated":4,"answered":[]}`,
		`"role":"electing","leader":"4","lease":1048579,"epoch":3,"grantee":"4","support":[]`, `"role":"leader","leader":"3","lease":0,"epoch":2,"grantee":"3","support":["1","2","4"]`}},
	{name: "R18-resigns-before-its-grant", from: "hand-over", at: "OnClaim 4→3 CLAIM epoch:3", text: []string{
		`{"type":"GRANT","from":"3","to":"4","epoch":3,"question":1048579},{"type":"RESIGN","from":"3","to":"1","epoch":2,"question":5,"granted":{"by":"4","epoch":3,"question":1048579}}`, `{"type":"RESIGN","from":"3","to":"1","epoch":2,"question":5,"granted":{"by":"4","epoch":3,"question":1048579}},{"type":"GRANT","from":"3","to":"4","epoch":3,"question":1048579}`}},
	{name: "R19-grant-counts-in-a-leader", from: "failover", at: "OnGrant 2→3", text: []string{`"support":[]`, `"support":["2"]`}},
	{name: "R19-grant-of-the-leader-leaves-its-lease", from: "hand-over", at: "OnGrant 3→4 GRANT epoch:3", text: []string{`"leader":null`, `"leader":"3"`}},
	{name: "R20-wins-with-half", from: "hand-over", at: "OnGrant 1→4 GRANT epoch:1", text: []string{`"asked":3,"latest":3}`, `"asked":0,"latest":3,"dated":3,"answered":[{"node":"1","question":3}]}`,
		`"sent":[]`, `"sent":[{"type":"COORDINATOR","from":"4","to":"1","epoch":1,"question":3},{"type":"COORDINATOR","from":"4","to":"2","epoch":1,"question":3},{"type":"COORDINATOR","from":"4","to":"3","epoch":1,"question":3}]`,
		`"role":"claimant","leader":null,"lease":0,"epoch":0,"grantee":null,"support":["1"]`, `"role":"leader","leader":"4","lease":0,"epoch":1,"grantee":"4","support":[]`}},
	{
		name: "R20-wins-under-a-lease", from: "claim-won-by-a-resign", at: "OnGrant 2→5 GRANT epoch:3", text: []string{`"asked":1048579,"latest":1048579}`, `"asked":0,"latest":1048579,"dated":1048579,"answered":[{"node":"1","question":1048579},{"node":"2","question":1048579}]}`,
			`"sent":[]`, `"sent":[{"type":"COORDINATOR","from":"5","to":"1","epoch":3,"question":1048579},{"type":"COORDINATOR","from":"5","to":"2","epoch":3,"question":1048579},` +
				`{"type":"COORDINATOR","from":"5","to":"3","epoch":3,"question":1048579},{"type":"COORDINATOR","from":"5","to":"4","epoch":3,"question":1048579}]`,
			`"role":"claimant","leader":"4","lease":3,"epoch":2,"grantee":"4","support":["1","2"]`, `"role":"leader","leader":"5","lease":0,"epoch":3,"grantee":"5","support":[]`,
		},
	},
	{name: "R20-wins-without-a-promise-to-itself", from: "failover", at: "OnGrant 1→2 & leader", text: []string{`"grantee":"2"`, `"grantee":"3"`}},
	{name: "R20-announces-itself-to-some", from: "failover", at: "OnGrant 1→2 & leader", text: []string{`,{"type":"COORDINATOR","from":"2","to":"3","epoch":2,"question":4}`, ``}},
	{name: "R20-announces-itself-twice", from: "failover", at: "OnGrant 1→2 & leader", text: []string{
		`{"type":"COORDINATOR","from":"2","to":"1","epoch":2,"question":4}`, `{"type":"COORDINATOR","from":"2","to":"1","epoch":2,"question":4},{"type":"COORDINATOR","from":"2","to":"1","epoch":2,"question":4}`}},
	{name: "R20-announces-itself-downwards", from: "failover", at: "OnGrant 1→2 & leader", text: []string{
		`{"type":"COORDINATOR","from":"2","to":"1","epoch":2,"question":4},{"type":"COORDINATOR","from":"2","to":"3","epoch":2,"question":4}`, `{"type":"COORDINATOR","from":"2","to":"3","epoch":2,"question":4},{"type":"COORDINATOR","from":"2","to":"1","epoch":2,"question":4}`}},
	{name: "OneLeaderPerEpoch-leads-an-epoch-that-another-has-led", from: "claim-lost-to-a-rival", at: "OnRefuse 1→4", text: []string{`"latest":3}`, `"latest":3,"dated":3,"answered":[]}`,
		`"sent":[]`, `"sent":[{"type":"COORDINATOR","from":"4","to":"1","epoch":1,"question":3},{"type":"COORDINATOR","from":"4","to":"2","epoch":1,"question":3},{"type":"COORDINATOR","from":"4","to":"3","epoch":1,"question":3},{"type":"COORDINATOR","from":"4","to":"5","epoch":1,"question":3}]`,
		`"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":null`, `"role":"leader","leader":"4","lease":0,"epoch":1,"grantee":"4"`}},
	{name: "R21-claims-on-after-a-refusal", from: "claim-lost-to-a-rival", at: "OnRefuse 1→4", text: []string{
		`"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":null,"support":[]`, `"role":"claimant","leader":null,"lease":0,"epoch":0,"grantee":null,"support":["3"]`}},
	{name: "R21-leads-on-below-a-higher-epoch", from: "stale-leader-is-refused", at: "OnRefuse 1→5 REFUSE epoch:2", text: []string{`"latest":4}`, `"latest":4,"dated":3,"answered":[]}`,
		`"role":"follower","leader":null,"lease":0,"epoch":2,"grantee":null,"support":[]`, `"role":"leader","leader":"5","lease":0,"epoch":1,"grantee":"5","support":["1","2","3","4"]`}},
	{name: "R22-claims-on-in-vain", from: "claim-starved", at: "ClaimTimeout", text: []string{`"follower"`, `"claimant"`}},

	// Reign.
	{name: "R23-follows-without-a-word", from: "failover", at: "OnCoordinator 3→1", text: []string{`"sent":[{"type":"ACK","from":"1","to":"3","epoch":1,"question":3}]`, `"sent":[]`}},
	{name: "R23-overwrites-its-promise", from: "claim-lost-to-a-rival", at: "OnCoordinator 5→3", text: []string{`"grantee":"4"`, `"grantee":"5"`}},
	{name: "R23-who-pre-empts-gives-way", from: "hand-over", at: "OnHeartbeat 3→4 & candidate", text: []string{`"candidate"`, `"follower"`}},
	{name: "R24-follows-a-stale-leader", from: "stale-leader-is-refused", at: "OnHeartbeat 5→1 & REFUSE", text: []string{
		`"REFUSE","from":"1","to":"5","epoch":2`, `"ACK","from":"1","to":"5","epoch":1`, `"leader":"4"`, `"leader":"5"`}},
	{name: "EpochMonotonic-goes-back-to-a-stale-leader", from: "stale-leader-is-refused", at: "OnHeartbeat 5→1 & REFUSE", text: []string{
		`"REFUSE","from":"1","to":"5","epoch":2`, `"ACK","from":"1","to":"5","epoch":1`, `"leader":"4","lease":3,"epoch":2,"grantee":"4"`, `"leader":"5","lease":3,"epoch":1,"grantee":"5"`}},
	{name: "R25-ack-does-not-count", from: "failover", at: "OnAck 1→3", text: []string{`"support":["1"]`, `"support":[]`}},
	{name: "R25-ack-of-an-earlier-reign-counts", from: "hand-over", at: "OnAck 1→3 & electing", text: []string{`"support":[]`, `"support":["1"]`}},
	{name: "R26-leads-on-without-a-quorum", from: "leader-that-hears-nobody", at: "ReignTimeout & 3 is follower", text: []string{`"latest":5}`, `"latest":5,"dated":3,"answered":[]}`, `"role":"follower","leader":null`, `"role":"leader","leader":"3"`}},
	{name: "R27-heartbeats-to-some", from: "leader-that-hears-nobody", at: "HeartbeatTimeout & 3 is", text: []string{`,{"type":"HEARTBEAT","from":"3","to":"2","epoch":1,"question":4}`, ``}},
	{name: "R28-resigns-in-silence", from: "resign", at: "Resign & 3 is", text: []string{
		`[{"type":"RESIGN","from":"3","to":"1","epoch":1,"question":3},{"type":"RESIGN","from":"3","to":"2","epoch":1,"question":3}]`, `[]`}},
	{
		name: "R28-resigns-and-does-not-lead", from: "failover", at: "Crash & 3 is", how: inserts, after: 1, text: []string{
			`{"seq":0,"node":"2","action":"Resign","input":{"call":"resign"},"sent":[{"type":"RESIGN","from":"2","to":"1","epoch":1,"question":1},` +
				`{"type":"RESIGN","from":"2","to":"3","epoch":1,"question":1}],"state":{"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":"3","support":[],"asked":0,"latest":1}}`,
		},
	},
	{name: "R29-resign-leaves-the-lease", from: "resign", at: "OnResign 3→1", text: []string{`"leader":null`, `"leader":"3"`}},
	{name: "R29-claimant-does-not-claim-again", from: "hand-over", at: "OnResign 3→4", text: []string{
		`"sent":[{"type":"CLAIM","from":"4","to":"1","epoch":3,"question":1048579},{"type":"CLAIM","from":"4","to":"2","epoch":3,"question":1048579}]`, `"sent":[]`}},
	{name: "R31-im-back-unanswered", from: "hand-over", at: "OnImBack 4→3", text: []string{`"sent":[{"type":"COORDINATOR","from":"3","to":"4","epoch":2,"question":3}]`, `"sent":[]`}},
	{name: "R31-claimant-learns-its-own-claim", from: "news-of-its-own-claim", at: "OnImBack 1→5", text: []string{`"role":"claimant","leader":null,"lease":0,"epoch":0`, `"role":"follower","leader":null,"lease":0,"epoch":1`}},
	{name: "R31-im-back-leaves-the-lease", from: "leader-back-unnoticed", at: "OnImBack 3→1", text: []string{`"leader":null`, `"leader":"3"`}},
	{name: "R35-timer-that-does-not-run", from: "leader-that-hears-nobody", at: "HeartbeatTimeout & 3 is leader", text: []string{
		`"action":"HeartbeatTimeout","input":{"timer":"heartbeat"}`, `"action":"PatienceTimeout","input":{"timer":"patience"}`}},
	{name: "R41-holder-dies-and-the-lease-stays", from: "failover-by-proof-of-death", at: "HolderDead & 1 is", text: []string{`"leader":null`, `"leader":"5"`}},
	{name: "R41-nobody-dies", from: "failover-by-proof-of-death", at: "HolderDead & 1 is", how: repeats, after: 1},

	// Links.
	{name: "links-invented-message", from: "failover", at: "OnRefuse 1→2", text: []string{`"REFUSE","from":"1","to":"2","epoch":1`, `"REFUSE","from":"1","to":"2","epoch":2`}},
	{name: "links-received-before-it-is-sent", from: "failover", at: "PatienceTimeout & 3 is", how: swaps},
	{
		name: "links-received-over-a-cut", from: "leader-that-hears-nobody", at: "OnHeartbeat 3→1", how: inserts, after: 1, text: []string{
			`{"seq":0,"node":"3","action":"OnAck","input":{"message":{"type":"ACK","from":"1","to":"3","epoch":1,"question":4}},"sent":[],` +
				`"state":{"role":"leader","leader":"3","lease":0,"epoch":1,"grantee":"3","support":["1","2"],"asked":0,"latest":4,"dated":4,"answered":[{"node":"1","question":4},{"node":"2","question":3}]}}`,
		},
	},
	{name: "links-loses-what-was-not-sent", from: "claim-lost-to-a-rival", at: "Lose 4→5", text: []string{`,"keeps":null`, ``, `"ELECTION"`, `"CLAIM"`}},

	// The form of a trace.
	{name: "trace-seq-with-a-gap", from: "failover", at: "OnAck 1→3", how: dropsUncounted},
	{name: "trace-seq-twice", from: "failover", at: "OnAck 1→3", how: repeatsUncounted, after: 1},
	{name: "trace-non-member", from: "failover", at: "OnCoordinator 3→1", text: []string{`"leader":"3"`, `"leader":"9"`}},
	{name: "trace-action-of-another-message", from: "failover", at: "OnClaim 2→1", text: []string{`"OnClaim"`, `"OnGrant"`}},
	{name: "trace-message-for-another", from: "failover", at: "OnClaim 2→1", text: []string{`"CLAIM","from":"2","to":"1"`, `"CLAIM","from":"2","to":"3"`}},
	{name: "trace-sent-in-the-name-of-another", from: "failover", at: "OnClaim 2→1", text: []string{`"GRANT","from":"1"`, `"GRANT","from":"3"`}},
	{name: "trace-support-out-of-order", from: "failover", at: "OnAck 2→3", text: []string{`["1","2"]`, `["2","1"]`}},
	{name: "trace-state-missing", from: "failover", at: "Crash & 3 is", text: []string{`,"state":{"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":"3","support":[],"asked":0,"latest":1048576}`, ``}},
}
