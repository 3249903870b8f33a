package conformance

import "github.com/seed-fdf591db/bully/spec"

// sentences says what each rule comes to.
var sentences = map[string]string{
	"R2":  "A node whose epoch is 2^53-1 may not claim; all else goes on.",
	"R7":  "A claimant does not learn the epoch that it claims itself; any other higher epoch is learned, and grantee none.",
	"R8":  "When a follower's patience ends, its lease ends, and it asks all.",
	"R9":  "When a lower leader has led long enough, a follower asks all, and keeps the lease.",
	"R10": "Who hears a lower candidate refuses if it would not grant its claim, else says OK; a leader adds COORDINATOR, and who is idle asks all.",
	"R11": "Who hears a higher candidate refuses if it would not grant its claim, else says ASSENT and gives way.",
	"R12": "An OK makes a candidate wait, and counts as support; its epoch is learned.",
	"R13": "An ASSENT counts as support, and the highest member claims as soon as a quorum would follow; its epoch is learned.",
	"R14": "When T_elec ends, a candidate claims if a quorum would follow and there is an epoch left, and else rests.",
	"R15": "When T_coord ends, the lease ends, and the node claims if it may, and else asks all.",
	"R17": "A CLAIM is granted unless the node keeps another's lease, or has promised that epoch, or a higher one, already.",
	"R18": "A leader grants a CLAIM only to a higher node and of a higher epoch, and then says RESIGN of its own to all.",
	"R19": "A GRANT counts for a claimant, and of the epoch that it claims; another only teaches its epoch.",
	"R20": "A claimant wins with a quorum of grants, itself included, if it keeps no lease.",
	"R21": "A REFUSE teaches its epoch, and makes a claimant that is told a higher epoch than its own rest first.",
	"R22": "When the claim timer ends, the claimant rests.",
	"R23": "COORDINATOR and HEARTBEAT of this epoch or a higher one are followed and acknowledged; who pre-empts the sender in this epoch only acknowledges.",
	"R24": "COORDINATOR and HEARTBEAT of a lower epoch are refused.",
	"R25": "An ACK of the epoch that a node leads is support; another only teaches its epoch.",
	"R26": "When the quorum timer ends, a leader without a quorum steps down; with one it goes on, its support emptied.",
	"R27": "When the beat timer ends, a leader says HEARTBEAT to all.",
	"R28": "A leader that is called to resign rests and says RESIGN to all; for any other it is no step.",
	"R29": "A RESIGN ends the sender's lease, its epoch is not looked at, and a claimant wins if it may now, or claims again from all but its support.",
	"R30": "A restarted node is electing with its own lease, the promise of its record and no support, and says IM_BACK to all.",
	"R31": "An IM_BACK ends the sender's lease and teaches its epoch; who leads still says COORDINATOR to the sender.",
	"R32": "A first start is a follower without a lease, in epoch 0, and says nothing.",
	"R33": "What is no message is ignored: an epoch above 2^53-1, an unknown type, a sender that is the receiver, an id that is none.",
	"R34": "A message whose sender is no other member, or whose receiver is another node, is ignored.",
	"R35": "The end of a timer that does not run in the node's state is ignored.",
	"R41": "Who is told that the holder of its lease is dead ends that lease, and says nothing; without another's lease it is no step.",
	"R42": "A node's configuration is part of its record, and never gets older; an epoch and a version name one list of members.",
	"R43": "A configuration that is newer is adopted before anything else, by whomever it is said: who stands rests, its epoch is learned, and support is emptied.",
	"R44": "Where the sender or the node is no member, nothing is done; but who asks with an older configuration is refused, and so told the newer.",
	"R45": "Support, grants and acknowledgements count, and promises are made, only among electors that hold the same configuration; who is no elector refuses.",
	"R46": "Only a voter stands, and anybody outranks who is none; any other member says IM_BACK when its patience ends, and who is no member says nothing; ELECTION and CLAIM go to the other electors, all else that is for all to the other members.",
	"R47": "A leader whose configuration is settled changes one member of it, by a configuration of its epoch and the next version in which it still votes, and says HEARTBEAT to all that are or were members.",
	"R48": "Who wins makes its configuration one of the epoch that it has won; members and version stay.",
	"R49": "The first members start with one configuration, of version 1 and epoch 0, that they are in; a node that joins starts with the empty one.",
}

// heardBy says by which rule a message is taken, where there is only one.
var heardBy = map[spec.MessageType]string{
	spec.OK: "R12", spec.Assent: "R13", spec.Grant: "R19", spec.Refuse: "R21", spec.Ack: "R25", spec.Resign: "R29", spec.ImBack: "R31",
}

// endedBy says by which rule the end of a timer is taken.
var endedBy = map[spec.Timer]string{
	spec.HeartbeatTimer: "R8", spec.PreemptTimer: "R9", spec.ElectionTimer: "R14", spec.CoordinatorTimer: "R15",
	spec.ClaimTimer: "R22", spec.QuorumTimer: "R26", spec.BeatTimer: "R27",
}

// Sentence says what a rule of section 8 or 18, such as R17, comes to. It is "" for any other.
func Sentence(rule string) string { return sentences[rule] }

// RuleOf returns the first rule that the answer to a case follows from, such as R17; the Rule of the case is not read.
func RuleOf(c *Case) string { return ruleOf(c) }

// ruleOf returns the first rule that the answer to a case follows from.
func ruleOf(c *Case) string {
	in := &c.Input
	if rule := ruleOfMembers(c); rule != "" {
		return rule
	}
	switch {
	case in.Call == spec.StartCall:
		return "R32"
	case in.Call == spec.RestartCall:
		return "R30"
	case in.Call == spec.ResignCall:
		return "R28"
	case in.Call == spec.HolderDeadCall:
		return "R41"
	case in.Timer != "" && c.Want.Ignored:
		return "R35"
	case in.Timer != "":
		return endedBy[in.Timer]
	case in.Message.Validate() != nil:
		return "R33"
	case c.Want.Ignored: // a message with a configuration is, too, where members are fixed, and one without where they change
		return "R34"
	}
	return ruleOfMessage(c)
}

// ruleOfMessage is ruleOf for a message that is not ignored.
func ruleOfMessage(c *Case) string {
	m := &c.Input.Message
	switch m.Type {
	case spec.Election:
		if !Outranked(&c.Want.State.Configuration, c.ID, m.From) {
			return "R10"
		}
		return "R11"
	case spec.Claim:
		if c.Before.Role == spec.Leader {
			return "R18"
		}
		return "R17"
	case spec.Grant:
		if c.Before.Role != spec.Leader && c.Want.State.Role == spec.Leader {
			return "R20"
		}
	case spec.Coordinator, spec.Heartbeat:
		if m.Epoch < c.Before.Epoch {
			return "R24"
		}
		return "R23"
	}
	return heardBy[m.Type]
}
