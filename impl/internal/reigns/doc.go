// Package reigns is what a node's users hold while it leads, and by which clock that ends: for a host of one election, and for one of many.
//
// A [Reign] is an epoch in which a node leads, with the [Work] that is done in it; a [Keeper] ends it for its users when its deadline passes, though the loop
// of the node hangs; a [Seat] lets users wait for the next one. A [Watch] is the clock as the loop reads it.
package reigns
