package promises

// blank is Init: nobody has promised anything.
func blank(_ *system, emit func(*state)) { emit(&state{}) }

// everyInv is EveryInv of module MCPromises, where it says why no state is missing: the books
// of each node in turn, then who may have won, and then the states among these that satisfy Inv.
func everyInv(y *system, emit func(*state)) {
	s := y.claimedAll()
	y.eachBooks(s, 1, func() {
		y.eachWon(s, y.backed(s), 1, func() { y.emitInv(s, emit) })
	})
}

// claimedAll returns the state in which every node has claimed every epoch, and done nothing else.
func (y *system) claimedAll() *state {
	s := &state{}
	for e := epoch(1); e <= y.maxEpoch; e++ {
		for i := node(1); i <= y.n; i++ {
			s.claims[e] |= only(i)
		}
	}
	return s
}

// emitInv emits s if it satisfies Inv.
func (y *system) emitInv(s *state, emit func(*state)) {
	if y.inv(s) {
		emit(s)
	}
}

// eachBooks calls visit with every way to fill the books of node i and those after it.
func (y *system) eachBooks(s *state, i node, visit func()) {
	if i > y.n {
		visit()
		return
	}
	for e := epoch(0); e <= y.maxEpoch; e++ {
		for c := none; c <= y.n && (e > 0 || c == none); c++ {
			s.disk[i] = promise{c, e}
			y.eachGrants(s, i, 1, func() { y.eachBooks(s, i+1, visit) })
		}
	}
}

// eachGrants calls visit with every way in which node i can have granted epochs from e on, so
// that its grants are kept.
func (y *system) eachGrants(s *state, i node, e epoch, visit func()) {
	p := s.disk[i]
	if e > p.epoch {
		visit()
		return
	}
	may := s.claims[e] &^ only(i)
	if e == p.epoch {
		may &= only(p.grantee)
	}
	for to := may; ; to = (to - 1) & may {
		s.grants[e][i] = to
		y.eachGrants(s, i, e+1, visit)
		if to == 0 {
			return
		}
	}
}

// backed returns, by epoch, who has the grants of a quorum.
func (y *system) backed(s *state) (backed [MaxEpochs + 1]set) {
	same := func(f, e epoch) bool { return f == e }
	for e := epoch(1); e <= y.maxEpoch; e++ {
		for i := node(1); i <= y.n; i++ {
			if y.isQuorum(y.n, only(i)|y.granters(s, i, e, same)) {
				backed[e] |= only(i)
			}
		}
	}
	return backed
}

// eachWon calls visit with every way in which some of those who may can have won epochs from e on.
func (y *system) eachWon(s *state, may [MaxEpochs + 1]set, e epoch, visit func()) {
	if e > y.maxEpoch {
		visit()
		return
	}
	for won := may[e]; ; won = (won - 1) & may[e] {
		s.coordinators[e] = won
		y.eachWon(s, may, e+1, visit)
		if won == 0 {
			return
		}
	}
}

// everyInvPlainly is EveryInvPlainly of module MCPromises: all promises, all sets of grants and
// all sets of reigns, and then the states among these that satisfy Inv.
func everyInvPlainly(y *system, emit func(*state)) {
	s := y.claimedAll()
	all := s.claims
	y.eachPromise(s, 1, func() {
		y.eachGranted(s, 1, 1, func() {
			y.eachWon(s, all, 1, func() { y.emitInv(s, emit) })
		})
	})
}

// eachPromise calls visit with every promise of node i and of those after it.
func (y *system) eachPromise(s *state, i node, visit func()) {
	if i > y.n {
		visit()
		return
	}
	for e := epoch(0); e <= y.maxEpoch; e++ {
		for c := none; c <= y.n; c++ {
			s.disk[i] = promise{c, e}
			y.eachPromise(s, i+1, visit)
		}
	}
}

// eachGranted calls visit with every set of GRANTs of node i and those after it, in epochs from e on.
func (y *system) eachGranted(s *state, i node, e epoch, visit func()) {
	if e > y.maxEpoch {
		i, e = i+1, 1
	}
	if i > y.n {
		visit()
		return
	}
	others := s.claims[1] &^ only(i)
	for to := others; ; to = (to - 1) & others {
		s.grants[e][i] = to
		y.eachGranted(s, i, e+1, visit)
		if to == 0 {
			return
		}
	}
}
