package coverage

import "github.com/seed-fdf591db/bully/spec"

const (
	follower  = spec.Follower
	candidate = spec.Candidate
	electing  = spec.Electing
	claimant  = spec.Claimant
	leader    = spec.Leader
)

// teaching are the receipts by which a higher epoch is learned (R7).
var teaching = on(spec.OnElection, spec.OnOk, spec.OnAssent, spec.OnGrant, spec.OnRefuse, spec.OnAck, spec.OnImBack)

// atTheBound are the branches of R2.
var atTheBound = []Branch{
	branch("R2", "the highest member has a quorum, and may not claim beyond the bound", on(spec.OnAssent),
		was(candidate), becomes(candidate), highest, backedWithSender, epochIsLast),
	branch("R2", "T_elec ends with a quorum: the node may not claim beyond the bound, and rests", on(spec.ElectionTimeout),
		epochIsLast, backed, not(becomes(leader))),
	branch("R2", "T_coord ends with a quorum: the node may not claim beyond the bound, and asks again", on(spec.CoordinatorTimeout),
		epochIsLast, backed, not(becomes(leader))),
	branch("R2", "the last epoch is granted", on(spec.OnClaim), epochIsLast, says(spec.Grant)),
	branch("R2", "the last epoch is won", anyStep, epochIsLast, not(was(leader)), becomes(leader)),
}

// ofAnyStep are the branches of the rules that others refer to, and that a step is a case of besides its own: R4, R7.
var ofAnyStep = []Branch{
	branch("R4", "epoch or grantee changes, and is saved", anyStep, promiseChanges),
	branch("R4", "neither changes", anyStep, not(promiseChanges)),

	branch("R7", "an epoch that is not higher teaches nothing", teaching, not(newer)),
	branch("R7", "a claimant does not learn the epoch that it claims", on(spec.OnElection, spec.OnOk, spec.OnAssent, spec.OnImBack),
		was(claimant), next),
	branch("R7", "a candidate learns a higher epoch", teaching, was(candidate), learns),
	branch("R7", "an electing node learns a higher epoch", teaching, was(electing), learns),
	branch("R7", "a follower without a lease learns a higher epoch", teaching, was(follower), noLease, learns),
	branch("R7", "who keeps another's lease learns no epoch from what binds nobody", on(spec.OnElection, spec.OnOk, spec.OnAssent, spec.OnImBack),
		newer, keepsAfter, not(learns)),
	branch("R7", "who keeps another's lease learns no epoch from a REFUSE that it does not wait for", onRefuse, newer, boundToAnother, not(learns)),
	branch("R7", "a claimant without a lease learns an epoch beyond its claim, and rests", teaching,
		was(claimant), noLease, learns, not(next)),
	branch("R7", "a claimant with a lease learns an epoch beyond its claim, and is electing", teaching,
		was(claimant), not(noLease), learns, not(next)),
	branch("R7", "a leader learns a higher epoch, and leads no more", teaching, was(leader), learns),
}

var (
	onElection = on(spec.OnElection)
	onOk       = on(spec.OnOk)
	onAssent   = on(spec.OnAssent)
	electionTO = on(spec.ElectionTimeout)
	coordTO    = on(spec.CoordinatorTimeout)
)

// ofElections are the branches of R8 to R16.
var ofElections = []Branch{
	branch("R8", "patience with a leader ends, and the lease: the node asks all", on(spec.PatienceTimeout), stands, not(noLease)),
	branch("R8", "patience without a leader ends: the node asks all", on(spec.PatienceTimeout), stands, noLease),
	branch("R9", "a follower of a lower leader asks all, and keeps the lease", on(spec.PreemptTimeout)),

	branch("R10", "a leader adds COORDINATOR to its OK", onElection, fromLower, says(spec.Coordinator)),
	branch("R10", "refuses: keeps another's lease", onElection, fromLower, says(spec.Refuse), not(becomes(electing))),
	branch("R10", "refuses: is electing, and keeps another's lease", onElection,
		fromLower, says(spec.Refuse), becomes(electing), anotherLease),
	branch("R10", "refuses: keeps silent after a restart", onElection, fromLower, says(spec.Refuse), ownLease),
	branch("R10", "who is idle says OK, and asks all", onElection, fromLower, was(follower), noLease, says(spec.Election)),
	branch("R10", "the sender's lease ends: a follower or an electing node is idle, says OK, and asks all", onElection,
		fromLower, was(follower, electing), sendersLease, says(spec.Election)),
	branch("R10", "the sender's lease ends: a candidate or claimant says OK, and goes on", onElection,
		fromLower, was(candidate, claimant), becomes(candidate, claimant), sendersLease, says(spec.OK)),
	branch("R10", "who rests because it learns the epoch is idle, says OK, and asks all", onElection,
		fromLower, was(claimant, leader), learns, says(spec.Election)),
	branch("R10", "a candidate says OK", onElection, fromLower, was(candidate), not(sendersLease), says(spec.OK)),
	branch("R10", "a claimant says OK", onElection, fromLower, was(claimant), becomes(claimant), not(sendersLease), says(spec.OK)),
	branch("R10", "an electing node without a lease says OK", onElection, fromLower, was(electing), noLease, says(spec.OK)),
	branch("R10", "a follower of a node lower than the sender, which keeps its lease too, says OK", onElection,
		fromLower, was(follower), becomes(follower), says(spec.OK)),
	branch("R5", "an ELECTION of a question before that of the lease ends nothing", onElection, sendersLease, beforeLease),

	branch("R11", "refuses: keeps another's lease", onElection, fromHigher, says(spec.Refuse), not(becomes(electing))),
	branch("R11", "refuses: the sender does not keep the lease of the leader that it outranks", onElection,
		fromHigher, was(follower, leader), outranksLeader, keepsOther, says(spec.Refuse)),
	branch("R11", "refuses: is electing, and keeps another's lease", onElection,
		fromHigher, says(spec.Refuse), becomes(electing), anotherLease),
	branch("R11", "refuses: keeps silent after a restart", onElection, fromHigher, says(spec.Refuse), ownLease),
	branch("R11", "the sender's lease ends: ASSENT", onElection, fromHigher, sendersLease, says(spec.Assent)),
	branch("R11", "a candidate gives way: ASSENT", onElection, fromHigher, was(candidate), becomes(electing), says(spec.Assent)),
	branch("R11", "a claimant says ASSENT, and goes on claiming", onElection, fromHigher, was(claimant), becomes(claimant), says(spec.Assent)),
	branch("R11", "a claimant learns an epoch beyond its claim, and gives way: ASSENT", onElection, fromHigher, was(claimant), becomes(electing), says(spec.Assent)),
	branch("R11", "a candidate that pre-empts gives way, and keeps the lease", onElection,
		fromHigher, was(candidate), anotherLease, says(spec.Assent)),
	branch("R11", "who is idle gives way: ASSENT", onElection, fromHigher, was(follower), noLease, says(spec.Assent)),
	branch("R11", "an electing node without a lease: ASSENT", onElection, fromHigher, was(electing), noLease, says(spec.Assent)),
	branch("R11", "a leader says ASSENT, and goes on leading", onElection, fromHigher, was(leader), becomes(leader), says(spec.Assent)),
	branch("R11", "a leader learns the epoch, and gives way: ASSENT", onElection,
		fromHigher, was(leader), becomes(electing), says(spec.Assent)),
	branch("R11", "a follower of a node lower than the sender: ASSENT", onElection,
		fromHigher, was(follower), becomes(follower), says(spec.Assent)),

	branch("R12", "a candidate waits, and counts the OK", onOk, was(candidate), answersMine),
	branch("R12", "an electing node counts the OK", onOk, was(electing), answersMine),
	branch("R12", "an OK that nobody waits for", onOk, not(was(candidate, electing))),
	branch("R12", "an OK to what is not asked any more", onOk, was(candidate, electing), not(answersMine)),

	branch("R13", "the highest member has a quorum, and claims at once", onAssent, becomes(claimant), was(candidate)),
	branch("R13", "the highest member counts the ASSENT", onAssent, was(candidate), becomes(candidate), highest, answersMine),
	branch("R13", "a candidate that is not the highest member counts the ASSENT", onAssent, was(candidate), not(highest), answersMine),
	branch("R13", "an electing node counts the ASSENT", onAssent, was(electing), answersMine),
	branch("R13", "an ASSENT that nobody waits for", onAssent, not(was(candidate, electing))),
	branch("R13", "an ASSENT to what is not asked any more", onAssent, was(candidate, electing), not(answersMine)),

	branch("R14", "with a quorum a candidate without a lease claims", electionTO, noLease, becomes(claimant)),
	branch("R14", "with a quorum a candidate that pre-empts claims, and keeps the lease", electionTO, not(noLease), becomes(claimant)),
	branch("R14", "without a quorum a candidate rests", electionTO, noLease, not(backed)),
	branch("R14", "without a quorum a candidate that pre-empts rests, and is electing", electionTO, not(noLease), not(backed)),

	branch("R15", "those who said OK, or ASSENT, are a quorum: the node claims", coordTO, becomes(claimant)),
	branch("R15", "without a quorum the node asks again", coordTO, stands, becomes(candidate), not(backed)),
	branch("R15", "the lease that it waited for ends", coordTO, anotherLease),
	branch("R15", "the silence after a restart ends", coordTO, ownLease),
	branch("R15", "there is no lease to end", coordTO, noLease),

	branch("R16", "CLAIM to all", on(spec.OnAssent, spec.ElectionTimeout, spec.CoordinatorTimeout), says(spec.Claim)),
	branch("R16", "the only member wins at once", on(spec.ElectionTimeout, spec.CoordinatorTimeout), onlyMember, becomes(leader)),
}
