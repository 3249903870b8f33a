------------------------------- MODULE MCRing -------------------------------
(* Orders, topologies, beginnings, witnesses and the replacements of mutants for module Ring. *)
EXTENDS Ring

-----------------------------------------------------------------------------
(* Orders *)

\* The node k places after node i.
RECURSIVE Hop(_, _, _)
Hop(r, i, k) == IF k = 0 THEN i ELSE r[Hop(r, i, k - 1)]

AllOrders  == {r \in [Node -> Node] : \A j \in Node : \E k \in 1..N : Hop(r, 1, k) = j}
Ascending  == {[i \in Node |-> IF i = N THEN 1 ELSE i + 1]}     \* a low id goes far

-----------------------------------------------------------------------------
(* Topologies: the sets of directed links that may be cut (constant Cuts).
   The first cut is chosen at the start; more than one set and MaxCut > 0 let it change. *)

Whole  == {{}}
Halves == {{}, {l \in Link : (2 * l[1] > N) # (2 * l[2] > N)}}

-----------------------------------------------------------------------------
(* Beginnings *)

OnlyCold  == {Cold}
OnlyLed   == {Led}
LedOrCold == {Led, Cold}

-----------------------------------------------------------------------------
(* What is added where nodes may die *)

Always(i)        == TRUE                        \* for Skips, Retries
OfTheDead(i, j)  == ~Alive(i, j)                \* for Drops

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant or property that must fail. *)

\* All follow the highest.
NeverLed == ~(AtRest /\ FollowedByAll(N))

\* The highest died, and the next took its place.
NeverReplaced == ~(AtRest /\ N \notin up /\ FollowedByAll(N - 1))

\* There are fair behaviours.
NeverEndsLed == ~EndsLed

-----------------------------------------------------------------------------
(* Mutants: what a cfg puts in the place of one assumption ... *)

AnyReturn(i)         == TRUE                                        \* for SlowReturn
LosesElection(l)     == Head(net[l]).type # "ELECTION"              \* for Reliable
LosesCoordinator(l)  == Head(net[l]).type # "COORDINATOR"           \* for Reliable

(* ... or of one rule. *)

Never(i)             == FALSE                                       \* for Joins, Tells
AllIds(i, j)         == TRUE                                        \* for PassesOn

=============================================================================
