// Package shrink makes a list shorter that still fails: of ops, of faults, of links, of whatever a run is made of.
//
//	shrink.List(func() int { return len(ops) }, func(from, to int) bool {
//		rest := slices.Concat(ops[:from], ops[to:])
//		if !fails(rest) {
//			return false
//		}
//		ops = rest
//		return true
//	})
package shrink

// List leaves out what it can of a list: ever shorter stretches, from the last to the first, until no single element can be spared
// (delta debugging, Zeller and Hildebrandt 2002). Size returns how long the list is; leaveOut leaves out elements from to to-1 if that
// still fails, and reports whether it has. The same answers give the same list.
func List(size func() int, leaveOut func(from, to int) bool) {
	for length := size(); length > 0; {
		shorter := false
		for to := size(); to > 0; to -= length { // what comes last is most often for nothing
			if to = min(to, size()); leaveOut(max(0, to-length), to) {
				shorter = true
			}
		}
		switch {
		case shorter:
			length = min(length, max(1, size()/2), size())
		case length == 1:
			return
		default:
			length = (length + 1) / 2
		}
	}
}
