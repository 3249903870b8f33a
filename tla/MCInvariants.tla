---------------------------- MODULE MCInvariants ----------------------------
(* Bounds and the replacements of mutants for module Invariants, which are those of MCCluster; and a witness. *)
EXTENDS MCCluster, Invariants

\* OvertakersAreSpent: somebody wins after another has won.
NeverTwoWins == Len(wins) <= 1
=============================================================================
