----------------------------- MODULE MCMembers -----------------------------
(* Bounds, witnesses and the replacements of mutants for module Members. *)
EXTENDS Members

CONSTANTS MaxEpoch,             \* no epoch is above this
          MaxVersion,           \* no version is above this
          Witnesses             \* the nodes that may be made witnesses

ASSUME Witnesses \subseteq Node

\* For Epoch, Version and Witness, in every configuration: the bounds. Crashes need none.
UpToMaxEpoch   == 1..MaxEpoch
UpToMaxVersion == 1..MaxVersion
Listed         == Witnesses

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant that must fail. *)

\* Nobody is left of those who began, and a newcomer leads.
NeverReplaced == \A i \in Node : leads[i] => Electors(conf[i]) \cap Start # {}

\* A leader makes itself a witness and goes on, until it hands over.
NeverWitnessLeads == \A i \in Node : leads[i] => i \in conf[i].voters

\* Two lead at once, each by its own configuration. (The older one cannot change its own any more.)
NeverTwoLead == \A i, j \in Node : leads[i] /\ leads[j] => conf[i].voters = conf[j].voters

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one rule. *)

HalfOrMore(S, c)              == 2 * Cardinality(S \cap Electors(c)) >= Cardinality(Electors(c))   \* for IsQuorum
CountsAnybody(S, c)           == 2 * Cardinality(S) > Cardinality(Electors(c))                     \* for IsQuorum
ForgetsConfiguration(i)       == FirstOf(i)                                     \* for Survives
AdoptsOlder(i, c)             == c # conf[i]                                    \* for Adopts
KeepsEpoch(i, c)              == epoch[i]                                       \* for EpochOnAdopting
KeepsSupport(i)               == support[i]                                     \* for SupportOnAdopting and -Changing
GrantsOlder(i, c)             == TRUE                                           \* for MayGrant
CountsOtherConfiguration(l, i) == epoch[i] = epoch[l]                           \* for CountsAck
CountsOtherEpoch(l, i)        == conf[i] = conf[l]                              \* for CountsAck
AnybodyStands(i)              == TRUE                                           \* for MayStand
ChangesUnsettled(l)           == TRUE                                           \* for IsSettled
SameVersion(c)                == c.version                                      \* for NextVersion
ManyAtOnce(c, d)              == \E i \in Node : KindIn(c, i) # KindIn(d, i)    \* for DiffersByOne
LeavesItself(l, d)            == TRUE                                           \* for StaysElector
Unstamped(c, e)               == c                                              \* for Stamped
=============================================================================
