----------------------------- MODULE MCCluster -----------------------------
(* Topologies, witnesses and the replacements of mutants for module Cluster. *)
EXTENDS Cluster

-----------------------------------------------------------------------------
(* Topologies: the sets of directed links that may be cut (constant Cuts).
   The first cut is chosen at the start; more than one set and MaxCut > 0 let it change. *)

Both(a, b)   == {<<a, b>>, <<b, a>>}
AllBut(S)    == {l \in Link : l \notin S /\ <<l[2], l[1]>> \notin S}       \* only these pairs are linked
Isolated(S)  == {l \in Link : (l[1] \in S) # (l[2] \in S)}                 \* S is cut from the rest
Unheard(S)   == {l \in Link : l[1] \in S /\ l[2] \notin S}                 \* S is not heard by the rest
Deaf(S)      == {l \in Link : l[1] \notin S /\ l[2] \in S}                 \* S does not hear the rest

Whole        == {{}}
TopIsolated  == {{}, Isolated({N})}
TopAndNext   == {{}, Both(N, N - 1)}
OneWay       == {{}, {<<N, N - 1>>}, Unheard({N})}
TopDeaf      == {{}, Deaf({N})}
Halves       == {{}, Isolated({1, 2})}
Pendant      == {AllBut((Node \ {N}) \X (Node \ {N}) \cup {<<N, N - 1>>})}  \* N is linked to N-1 only
Star         == {AllBut({<<1, j>> : j \in Node})}                          \* only the lowest reaches all
Chain        == {AllBut({<<j, j + 1>> : j \in 1..(N - 1)})}
Partial      == {AllBut({<<1, 2>>, <<1, 3>>, <<2, 3>>, <<2, 4>>, <<3, 5>>})} \* B18: 1, 2, 3 linked; 4 to 2; 5 to 3

-----------------------------------------------------------------------------
(* Witnesses: what must be reachable, said as an invariant that must fail. *)

NeverTwoReigns == \A r, q \in reigns : r.leader = q.leader

=============================================================================
