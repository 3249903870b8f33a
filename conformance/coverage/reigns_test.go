package coverage

import "github.com/seed-fdf591db/bully/spec"

var (
	onClaim  = on(spec.OnClaim)
	onGrant  = on(spec.OnGrant)
	onRefuse = on(spec.OnRefuse)
	onReign  = on(spec.OnCoordinator, spec.OnHeartbeat)
	onAck    = on(spec.OnAck)
	onResign = on(spec.OnResign)
	onImBack = on(spec.OnImBack)
)

// ofClaims are the branches of R17 to R22.
var ofClaims = []Branch{
	branch("R17", "grants a higher epoch", onClaim, not(was(leader)), newer, says(spec.Grant)),
	branch("R17", "grants its own epoch, promised to nobody", onClaim, not(was(leader)), equal, promisedToNobody, says(spec.Grant)),
	branch("R17", "grants its own epoch again", onClaim, not(was(leader)), equal, promisedToSender, says(spec.Grant)),
	branch("R17", "a candidate gives up what it did, and grants", onClaim, was(candidate), says(spec.Grant)),
	branch("R17", "a claimant gives up its own claim, and grants that of a higher node", onClaim, was(claimant), fromHigher, says(spec.Grant)),
	branch("R17", "a claimant grants a lower node an epoch above the one that it claims", onClaim, was(claimant), fromLower, says(spec.Grant)),
	branch("R17", "refuses: claims that epoch itself, or one above it, and outranks the sender", onClaim, was(claimant), fromLower, not(older), not(beyondClaim), says(spec.Refuse)),
	branch("R5", "a CLAIM of a question before that of the lease is granted, and the lease stays as it is", onClaim, sendersLease, beforeLease, says(spec.Grant)),
	branch("R17", "refuses: keeps another's lease", onClaim, not(was(leader)), anotherLease, says(spec.Refuse)),
	branch("R17", "refuses: keeps silent after a restart", onClaim, was(electing), ownLease, says(spec.Refuse)),
	branch("R17", "refuses: promised its epoch to another", onClaim, not(was(leader)), equal, promisedToAnother, says(spec.Refuse)),
	branch("R17", "refuses: the epoch is past", onClaim, not(was(leader)), older, says(spec.Refuse)),

	branch("R18", "a leader hands over to a higher node: GRANT, then RESIGN that says so", onClaim, was(leader), says(spec.Resign)),
	branch("R18", "a leader refuses a lower node", onClaim, was(leader), fromLower, newer, says(spec.Refuse)),
	branch("R18", "a leader refuses an epoch that is not above its own", onClaim, was(leader), not(newer), says(spec.Refuse)),

	branch("R19", "a GRANT counts", onGrant, was(claimant), next, answersMine),
	branch("R19", "a GRANT counts, and ends the sender's lease", onGrant, was(claimant), next, answersMine, sendersLease),
	branch("R19", "a GRANT of an earlier claim does not count", onGrant, was(claimant), not(newer)),
	branch("R19", "a GRANT of an earlier claim of the same epoch does not count", onGrant, was(claimant), next, not(answersMine)),
	never("a GRANT is of an epoch that its receiver has claimed, and no claim is beyond a later one of the same node",
		branch("R19", "a GRANT beyond the claim does not count", onGrant, was(claimant), newer, not(next))),
	branch("R19", "who claims no more learns the epoch of a GRANT", onGrant, not(was(claimant)), newer),
	branch("R19", "who claims no more learns nothing from a GRANT", onGrant, not(was(claimant)), not(newer)),

	branch("R20", "wins: COORDINATOR to all", onGrant, was(claimant), becomes(leader)),
	branch("R20", "a GRANT that makes no quorum yet", onGrant, was(claimant), next, answersMine, not(backedWithSender)),
	branch("R20", "a quorum, and a lease kept: does not win", onGrant, was(claimant), next, answersMine, backedWithSender, becomes(claimant)),

	branch("R21", "a claimant without a lease is told that its epoch is taken: rests, and learns", onRefuse, was(claimant), next, answersMine, noLease),
	branch("R21", "a claimant with a lease is told that its epoch is taken: is electing, and learns", onRefuse,
		was(claimant), next, answersMine, not(noLease)),
	branch("R21", "a claimant is told an epoch beyond its claim: rests, and learns", onRefuse, was(claimant), newer, not(next), answersMine),
	branch("R21", "a claimant goes on: the refusal is of an earlier claim", onRefuse, was(claimant), newer, not(answersMine)),
	branch("R21", "a claimant goes on: the epoch is not above its own", onRefuse, was(claimant), not(newer)),
	branch("R21", "who is no claimant learns the epoch at most", onRefuse, not(was(claimant))),

	branch("R22", "a claimant without a lease rests", on(spec.ClaimTimeout), noLease),
	branch("R22", "a claimant with a lease rests, and is electing", on(spec.ClaimTimeout), not(noLease)),
}

// ofReigns are the branches of R23 to R29.
var ofReigns = []Branch{
	branch("R23", "a candidate that pre-empts the sender stays, and acknowledges", onReign,
		was(candidate), becomes(candidate), says(spec.Ack)),
	branch("R23", "a claimant that pre-empts the sender stays, and acknowledges", onReign,
		was(claimant), becomes(claimant), says(spec.Ack)),
	branch("R23", "follows in a higher epoch", onReign, newer, not(was(leader))),
	branch("R23", "a leader follows in a higher epoch", onReign, newer, was(leader)),
	branch("R23", "who pre-empts the sender follows it in a higher epoch", onReign, newer, was(candidate, claimant), sendersLease),
	branch("R23", "a follower acknowledges its leader again, and its lease is of a later question", onReign, equal, was(follower), sendersLease, afterLease),
	branch("R23", "a follower acknowledges its leader again, and its lease stays as it is", onReign, equal, was(follower), sendersLease, not(afterLease)),
	branch("R23", "follows in its own epoch, promised to the sender", onReign,
		equal, not(was(leader)), promisedToSender, becomes(follower)),
	branch("R23", "follows in its own epoch, promised to nobody", onReign, equal, not(was(leader)), promisedToNobody, becomes(follower)),
	branch("R23", "follows in its own epoch, promised to another", onReign, equal, not(was(leader)), promisedToAnother, becomes(follower)),
	branch("R23", "follows, and the silence after a restart ends", onReign, was(electing), ownLease, becomes(follower)),
	branch("R23", "follows, and the lease of another is replaced", onReign, anotherLease, becomes(follower)),
	never("OneLeaderPerEpoch excludes it",
		branch("R23", "a leader hears another lead its own epoch, and follows it", onReign, equal, was(leader))),
	branch("R24", "who does not lead refuses an earlier epoch", onReign, older, not(was(leader))),
	branch("R24", "a leader refuses an earlier epoch", onReign, older, was(leader)),

	branch("R25", "a leader counts an ACK of its epoch", onAck, was(leader), equal),
	branch("R25", "an ACK of a question before the last that its sender has answered", onAck, was(leader), equal, answeredLater),
	branch("R25", "an ACK that dates the reign anew", onAck, was(leader), equal, datesAnew),
	never("nobody answers what was not asked",
		branch("R25", "an ACK of what was not asked counts for nothing", onAck, was(leader), equal, beyondLatest)),
	branch("R25", "a leader does not count an ACK of an earlier reign", onAck, was(leader), older),
	branch("R25", "who leads no more learns nothing from an ACK", onAck, not(was(leader)), not(newer)),
	never("an ACK is of an epoch that its receiver has led",
		branch("R25", "a higher epoch is learned from an ACK", onAck, newer)),

	branch("R26", "what a quorum has answered last was asked too long ago: the leader steps down", on(spec.ReignTimeout)),
	branch("R26", "who is a quorum alone dates its reign from each question", on(spec.HeartbeatTimeout), onlyMember),
	branch("R27", "HEARTBEAT to all", on(spec.HeartbeatTimeout)),
	branch("R28", "a leader resigns: RESIGN to all", on(spec.ResignAction)),

	branch("R29", "the sender's lease ends: a follower is without a leader", onResign, sendersLease, was(follower)),
	branch("R29", "the sender's lease ends: an electing node rests", onResign, sendersLease, was(electing)),
	branch("R29", "the sender's lease ends: a candidate goes on", onResign, sendersLease, was(candidate)),
	branch("R29", "a claimant's way is free: it wins", onResign, was(claimant), becomes(leader)),
	branch("R29", "a claimant's way is free: it claims again from all but its support", onResign,
		was(claimant), sendersLease, says(spec.Claim)),
	branch("R29", "a claimant that did not wait for the sender claims again", onResign,
		was(claimant), not(sendersLease), says(spec.Claim)),
	never("who is in the support has granted, and its GRANT has ended its lease",
		branch("R29", "a claimant that keeps a lease has everybody's grant: it claims again from nobody", onResign,
			was(claimant), becomes(claimant), not(says(spec.Claim)))),
	branch("R29", "a RESIGN that nobody waits for", onResign, not(sendersLease), not(was(claimant)), silent),
	branch("R29", "who is free grants the claim for which the sender has handed over", onResign, says(spec.Grant)),
	branch("R29", "who is free refuses that claim: it has promised the epoch to another", onResign, says(spec.Refuse)),
	branch("R29", "a candidate that does better than the successor goes on", onResign, handsOver, was(candidate), silent),
	branch("R5", "a RESIGN of a question before that of the lease ends nothing", onResign, sendersLease, beforeLease),
}

// ofEnds are the branches of R30 to R32 and R41.
var ofEnds = []Branch{
	branch("R30", "restarts with a promise: silence, and IM_BACK to all", on(spec.RestartAction), wasA(spec.MemberKinds()...), not(blank)),
	branch("R30", "restarts with the record of a first start: the same", on(spec.RestartAction), wasA(spec.MemberKinds()...), blank),

	branch("R5", "an IM_BACK of a question before that of the lease ends nothing", onImBack, sendersLease, beforeLease),
	branch("R31", "the sender's lease ends: a follower or an electing node rests", onImBack, sendersLease, was(follower, electing)),
	branch("R31", "the sender's lease ends: a candidate or claimant goes on", onImBack, sendersLease, was(candidate, claimant)),
	branch("R31", "a leader says COORDINATOR to the sender", onImBack, becomes(leader)),
	branch("R31", "who does not lead, and did not follow the sender, says nothing", onImBack, not(sendersLease), not(becomes(leader))),

	branch("R32", "the first start of a node", on(spec.StartAction), not(knowsNobody)),

	branch("R41", "the leader of a follower is dead", on(spec.HolderDeadAction), was(follower)),
	branch("R41", "whom an electing node waits for is dead", on(spec.HolderDeadAction), was(electing)),
	branch("R41", "the leader that a candidate pre-empts is dead", on(spec.HolderDeadAction), was(candidate)),
	branch("R41", "the leader that a claimant pre-empts is dead: it does not win by that", on(spec.HolderDeadAction), was(claimant)),
}

// ofNoStep are the branches of inputs that are ignored.
var ofNoStep = []Branch{
	branch("R28", "who does not lead is called to resign: no step", on(noStep), called(spec.ResignCall)),
	branch("R41", "who keeps no lease, or its own, is told of a death: no step", on(noStep), called(spec.HolderDeadCall)),

	branch("R33", "an epoch above the bound", on(noStep), beyondBound),
	branch("R33", "a question that is none, or above the bound", on(noStep), badQuestion),
	branch("R33", "a lease, or a claim that was granted, with a message that says none", on(noStep), badExtra),
	branch("R33", "an id that is none", on(noStep), badID),
	branch("R33", "a sender that is the receiver", on(noStep), toItself),
	branch("R34", "a message of unknown type", on(noStep), unknownType),
	branch("R34", "a message of a non-member", on(noStep), ofNonMember),
	branch("R34", "a message for another node", on(noStep), forAnother),

	branch("R35", "patience ends, and does not run", on(noStep), idle(spec.PatienceTimer)),
	branch("R35", "preempt ends, and does not run", on(noStep), idle(spec.PreemptTimer)),
	branch("R35", "election ends, and does not run", on(noStep), idle(spec.ElectionTimer)),
	branch("R35", "coordinator ends, and does not run", on(noStep), idle(spec.CoordinatorTimer)),
	branch("R35", "claim ends, and does not run", on(noStep), idle(spec.ClaimTimer)),
	branch("R35", "reign ends, and does not run", on(noStep), idle(spec.ReignTimer)),
	branch("R35", "heartbeat ends, and does not run", on(noStep), idle(spec.HeartbeatTimer)),
}
