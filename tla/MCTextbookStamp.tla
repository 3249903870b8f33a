-------------------------- MODULE MCTextbookStamp --------------------------
(* Topologies, the beginning, and the replacement of a mutant for module TextbookStamp. *)
EXTENDS TextbookStamp

Whole        == {{}}                                                         \* for Cuts
TopIsolated  == {{}, {l \in Link : (l[1] = N) # (l[2] = N)}}                 \* for Cuts
OnlyLed      == {Plain!Led}                                                  \* for Beginnings
Remembers(i) == heard[i]                                                     \* for AfterCrash: stricter than the rule, and no help

=============================================================================
