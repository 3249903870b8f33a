package compare

// Options says what a run keeps. The zero Options keeps what is counted.
type Options struct {
	Timeline bool          // keep what happens, in Result.Timeline
	Upkeep   bool          // ... messages that are upkeep too
	Watch    func(*Moment) // is told of each thing that happens, right after it, if it is not nil
}

// Run runs a scenario on nodes of an algorithm. The error says what of the scenario is not valid, or what the algorithm
// does that no algorithm may: such as to send to a node that there is not.
func Run(s *Scenario, a Algorithm, seed uint64, o Options) (Result, error) {
	p, err := Begin(s, a, seed, o)
	if err != nil {
		return Result{}, err
	}
	for p.Next(s.Length) {
	}
	return p.Finish()
}
