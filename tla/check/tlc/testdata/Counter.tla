------------------------------ MODULE Counter ------------------------------
(* Everything goes wrong here that can. In outputs/ is what TLC wrote with -tool -workers 1 -fp 0 -lncheck final. *)
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANT Last
VARIABLES x, seen

Init == x = 0 /\ seen = {}
Up   == x < 5 /\ x' = x + 1 /\ seen' = seen \cup {x}
Back == x = 5 /\ Last # 5 /\ x' = 0 /\ seen' = {}
Next == Up \/ Back
Spec     == Init /\ [][Next]_<<x, seen>>
FairSpec == Spec /\ WF_<<x, seen>>(Next)

ASSUME Last \in 0..5

TypeOK   == x \in 0..5 /\ seen \subseteq 0..4
Never4   == x < 4
Never0   == x > 0
Mistaken == x < 3 \/ x # seen

Grows    == [][x' >= x]_x
Steady   == x = 1 /\ [][x' >= 0]_x
Nested   == TypeOK /\ [][x' # 3]_x
StaysAt3 == <>[](x = 3)
Twice    == []<>(x = 3)
============================================================================
