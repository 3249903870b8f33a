// Package shrink makes whatever a run is made of smaller, so that it still fails: a script, a plan. Who uses it says what fails, and
// makes passes of what could be left out or plainer:
//
//	k := shrink.Smaller[Plan]{Smallest: plan, Clone: Plan.Clone, Fails: fails}
//	k.Repeat(
//		func() { k.Drop(faultsOf, func(p *Plan, from, to int) { p.Faults = slices.Delete(p.Faults, from, to) }) },
//		func() { k.TryIf(k.Smallest.Disk != Range{}, func(p *Plan) { p.Disk = Range{} }) },
//	)
package shrink

// Smaller is the smallest T known that fails, and looks for a smaller one.
type Smaller[T any] struct {
	Smallest T
	Clone    func(T) T                     // a copy that may be changed
	Fails    func(t T) (ran T, fails bool) // whether t fails in the same way; if so, ran is what has been run of it
	Runs     int                           // how many have been tried
	MaxRuns  int                           // the most that may be tried; 0: there is no bound

	kept int
}

// Keep tries t, and keeps what has been run of it if it fails.
func (s *Smaller[T]) Keep(t T) bool {
	if s.Spent() {
		return false
	}
	s.Runs++
	ran, fails := s.Fails(t)
	if fails {
		s.Smallest = ran
		s.kept++
	}
	return fails
}

// Spent reports whether no more may be tried.
func (s *Smaller[T]) Spent() bool { return s.MaxRuns > 0 && s.Runs >= s.MaxRuns }

// Try changes a copy of the smallest, and keeps it if that fails.
func (s *Smaller[T]) Try(change func(t *T)) bool {
	t := s.Clone(s.Smallest)
	change(&t)
	return s.Keep(t)
}

// TryIf is Try, if there is something to change.
func (s *Smaller[T]) TryIf(needed bool, change func(t *T)) bool { return needed && s.Try(change) }

// Drop leaves out what it can of a list of the smallest.
func (s *Smaller[T]) Drop(size func(t *T) int, drop func(t *T, from, to int)) {
	List(func() int { return size(&s.Smallest) }, func(from, to int) bool { return s.Try(func(t *T) { drop(t, from, to) }) })
}

// Repeat repeats the passes until they change nothing, or no more may be tried.
func (s *Smaller[T]) Repeat(passes ...func()) {
	for before := -1; before < s.kept && !s.Spent(); {
		before = s.kept
		for _, pass := range passes {
			pass()
		}
	}
}

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
