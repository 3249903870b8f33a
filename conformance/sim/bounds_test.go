package sim_test

import (
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// soak returns how many times as much as usual is to be done.
func soak() uint64 {
	n, err := strconv.ParseUint(os.Getenv("BULLY_SOAK"), 10, 32)
	if err != nil || n == 0 {
		return 1
	}
	return n
}

func TestValidate(t *testing.T) {
	at := 100 * ms
	fault := func(f sim.Fault) func(p *sim.Plan) { return func(p *sim.Plan) { p.Faults = []sim.Fault{f} } }
	for want, change := range map[string]func(p *sim.Plan){
		"Seed is 9007199254740992, but must be at most 2^53-1":                           func(p *sim.Plan) { p.Seed = 1 << 53 },
		"Members are 0, but must be 1 to 7":                                              func(p *sim.Plan) { p.Members = nil },
		"Members are 8, but must be 1 to 7":                                              func(p *sim.Plan) { p.Members = quiet(8).Members },
		"Members[1] is none, which is no id":                                             func(p *sim.Plan) { p.Members[1] = spec.NodeID{} },
		"Members[2] is 2, but must be above 2: give them ascending, each once":           func(p *sim.Plan) { p.Members[2] = id(2) },
		"Timing.Delay is 0s, but must be at least 1ns":                                   func(p *sim.Plan) { p.Timing.Delay = 0 },
		"Timing.Stagger is -1ns, but must be at least 0s":                                func(p *sim.Plan) { p.Timing.Stagger = -1 },
		"Timing.Preempt is 2000h0m0s, but must be at most 24h0m0s":                       func(p *sim.Plan) { p.Timing.Preempt = 2000 * time.Hour },
		"Timing.Drift is 1, but must be from 0 to below 1":                               func(p *sim.Plan) { p.Timing.Drift = 1 },
		"Timing.Drift is NaN, but must be from 0 to below 1":                             func(p *sim.Plan) { p.Timing.Drift = math.NaN() },
		"Links.Delay is from 2ms to 1ms, but must be from 0 to 1000h0m0s, and ascending": func(p *sim.Plan) { p.Links.Delay.Min = 2 * ms },
		"Links.Loss is 1.5, but must be from 0 to 1":                                     func(p *sim.Plan) { p.Links.Loss = 1.5 },
		"Links.Loss is NaN, but must be from 0 to 1":                                     func(p *sim.Plan) { p.Links.Loss = math.NaN() },
		"Disk is from -1ns to 0s, but must be from 0":                                    func(p *sim.Plan) { p.Disk.Min = -1 },
		"Length is -1ns, but must be from 0":                                             func(p *sim.Plan) { p.Length = -1 },
		"Rates are 2, but must be none, or one for each of the 3 members":                func(p *sim.Plan) { p.Rates = []float64{1, 1} },
		"Rates[1] is 0, but must be from 0.001 to 1000":                                  func(p *sim.Plan) { p.Rates = []float64{1, 0, 1} },
		`Faults[0].Kind is "rain", which is no fault`:                                    fault(sim.Fault{Kind: "rain"}),
		"Faults[0].At is -1ns, but must be from 0":                                       fault(sim.Fault{Kind: sim.ResignFault, Node: id(1), At: -1}),
		"Faults[0].At is 2000h0m0s, but must be from 0":                                  fault(sim.Fault{Kind: sim.ResignFault, Node: id(1), At: 2000 * time.Hour}),
		"Faults[0].For is -1ns, but must be from 0":                                      fault(sim.Fault{Kind: sim.PauseFault, Node: id(1), For: -1}),
		"Faults[0].For is 2s, from 100ms on, but must be over by Length, 2s":             fault(sim.Fault{Kind: sim.PauseFault, Node: id(1), At: at, For: 2 * time.Second}),
		"Faults[0].Node is 4, which is no member":                                        fault(sim.Fault{Kind: sim.EarlyFault, Node: id(4)}),
		"Faults[0].Point is -3, but must be at least -2":                                 fault(sim.Fault{Kind: sim.CrashFault, Node: id(1), Point: -3}),
		"Faults[0].Disk is from 1ms to 0s, but must be":                                  fault(sim.Fault{Kind: sim.SlowDiskFault, Node: id(1), Disk: sim.Range{Min: ms}}),
		"Faults[0].Conditions.Loss is 2, but must be from 0 to 1":                        fault(sim.Fault{Kind: sim.ConditionsFault, Links: linksOf(1, 2), Conditions: sim.Conditions{Loss: 2}}),
		"Faults[0].Conditions.Delay is from 1ms to 0s, but must be":                      fault(sim.Fault{Kind: sim.ConditionsFault, Links: linksOf(1, 2), Conditions: sim.Conditions{Delay: sim.Range{Min: ms}}}),
		"Faults[0].Links are none, but must be at least one":                             fault(sim.Fault{Kind: sim.CutFault}),
		"Faults[0].Links[1] is from 1 to 1, but must be between two members":             fault(sim.Fault{Kind: sim.CutFault, Links: linksOf(1, 2, 1, 1)}),
		"Faults[0].Links[0] is from 1 to 4, but must be between two members":             fault(sim.Fault{Kind: sim.BreakFault, Links: linksOf(1, 4)}),
		"Faults[0].Links[1] is from 1 to 2, which is there twice":                        fault(sim.Fault{Kind: sim.CutFault, Links: linksOf(1, 2, 1, 2)}),
		"Faults[1].At is 1ms, but must not be before that of the fault before, 2ms": func(p *sim.Plan) {
			p.Faults = []sim.Fault{{Kind: sim.ResignFault, Node: id(1), At: 2 * ms}, {Kind: sim.ResignFault, Node: id(1), At: ms}}
		},
		"Faults[0].For is 0s, from 2.000000001s on, but must be over by Length, 2s": fault(sim.Fault{Kind: sim.ResignFault, Node: id(1), At: 2*time.Second + 1}),
	} {
		p := quiet(3)
		require.NoError(t, p.Validate())
		change(p)
		require.ErrorContains(t, p.Validate(), "sim: plan: "+want)
		_, err := sim.Run(p, model, sim.Options{})
		require.ErrorContains(t, err, want)
	}
}

// TestTimely changes a plan that is timely by one thing that breaks a bound, or only just does not.
func TestTimely(t *testing.T) {
	require.True(t, quiet(3).Timely())
	fault := func(kind sim.FaultKind, change ...func(f *sim.Fault)) func(p *sim.Plan) {
		f := sim.Fault{At: ms, For: ms, Kind: kind, Node: id(1), Links: linksOf(1, 2)}
		for _, c := range change {
			c(&f)
		}
		return func(p *sim.Plan) { p.Faults = []sim.Fault{f} }
	}
	for name, c := range map[string]struct {
		timely bool
		change func(p *sim.Plan)
	}{
		"crash": {true, fault(sim.CrashFault)}, "cut": {true, fault(sim.CutFault)}, "break": {true, fault(sim.BreakFault)},
		"resign": {true, fault(sim.ResignFault)}, "fail-disk": {true, fault(sim.FailDiskFault)}, "proofs": {true, func(p *sim.Plan) { p.Proofs = true }},
		"pause": {false, fault(sim.PauseFault)}, "jump": {false, fault(sim.JumpFault)}, "early": {false, fault(sim.EarlyFault)}, "dead": {false, fault(sim.DeadFault)},
		"loss":            {true, func(p *sim.Plan) { p.Links.Loss = 0.5 }},
		"delay":           {true, func(p *sim.Plan) { p.Links.Delay.Max = 12*ms - 1 }},
		"delay of δ":      {false, func(p *sim.Plan) { p.Links.Delay.Max = 12 * ms }},
		"two saves":       {false, func(p *sim.Plan) { p.Links.Delay.Max, p.Disk.Max = 8*ms, 2*ms }},
		"conditions":      {true, fault(sim.ConditionsFault, func(f *sim.Fault) { f.Delay.Max = 12*ms - 1 })},
		"conditions of δ": {false, fault(sim.ConditionsFault, func(f *sim.Fault) { f.Delay.Max = 12 * ms })},
		"slow disk":       {true, fault(sim.SlowDiskFault, func(f *sim.Fault) { f.Disk.Max = 5 * ms })},
		"disk too slow":   {false, fault(sim.SlowDiskFault, func(f *sim.Fault) { f.Disk.Max = 6 * ms })},
		"drift":           {true, func(p *sim.Plan) { p.Rates = []float64{0.99, 1, 1.01} }},
		"too fast":        {false, func(p *sim.Plan) { p.Rates = []float64{1, 1, 1.0101} }},
		"too slow":        {false, func(p *sim.Plan) { p.Rates = []float64{0.9899, 1, 1} }},
		"a holds":         {true, func(p *sim.Plan) { p.Timing.Election = 24240*time.Microsecond + 1 }},
		"a":               {false, func(p *sim.Plan) { p.Timing.Election = 24240 * time.Microsecond }},
		"b holds":         {true, func(p *sim.Plan) { p.Timing.Claim = 48480*time.Microsecond + 1 }},
		"b":               {false, func(p *sim.Plan) { p.Timing.Claim = 48480 * time.Microsecond }},
		"c holds":         {true, func(p *sim.Plan) { p.Timing.Reign = 138381 * time.Microsecond }},
		"c":               {false, func(p *sim.Plan) { p.Timing.Reign = 138380 * time.Microsecond }},
		"d":               {false, func(p *sim.Plan) { p.Timing.Patience = 153 * ms }},
		"d holds":         {true, func(p *sim.Plan) { p.Timing.Patience = 153100 * time.Microsecond }},
		"e":               {false, func(p *sim.Plan) { p.Timing.Election = 70 * ms }},
		"i":               {false, func(p *sim.Plan) { p.Timing.Claim, p.Timing.Coordinator = 151*ms, 640*ms }},
		"g":               {false, func(p *sim.Plan) { p.Timing.Coordinator = 153 * ms }},
		"repeated":        {false, func(p *sim.Plan) { p.Links.Repeated = 0.1 }},
		"repeats":         {false, fault(sim.ConditionsFault, func(f *sim.Fault) { f.Repeated = 0.1 })},
		"h":               {false, func(p *sim.Plan) { p.Timing.Coordinator, p.Timing.Election = 640*ms, 321*ms }},
		"never pre-empts": {true, func(p *sim.Plan) { p.Timing.Preempt = -1 }},
	} {
		p := quiet(3)
		c.change(p)
		require.NoError(t, p.Validate(), name)
		require.Equal(t, c.timely, p.Timely(), name)
	}
}

// TestSettleBound holds the bound to what is said of it: nothing is promised where a bound of R37 is broken throughout; and
// what a fault leaves behind is waited for.
func TestSettleBound(t *testing.T) {
	p := quiet(3)
	bound := p.SettleBound()
	require.Greater(t, bound, p.Timing.Coordinator+p.Timing.Preempt)
	require.Less(t, bound, 20*p.Timing.Patience+81*p.Timing.Preempt) // after six in vain it is 64 times Preempt, and a quarter for jitter
	for name, change := range map[string]func(p *sim.Plan){
		"delay":  func(p *sim.Plan) { p.Links.Delay.Max = 12 * ms },
		"disk":   func(p *sim.Plan) { p.Disk.Max = 6 * ms },
		"drift":  func(p *sim.Plan) { p.Rates = []float64{1, 1, 2} },
		"timing": func(p *sim.Plan) { p.Timing.Claim = ms },
	} {
		p := quiet(3)
		change(p)
		require.Zero(t, p.SettleBound(), name)
	}
	q := quiet(3, sim.Fault{At: ms, For: p.Length - ms, Kind: sim.ConditionsFault, Links: linksOf(1, 2), Conditions: sim.Conditions{Delay: sim.Range{Max: time.Hour}}})
	require.Equal(t, bound+time.Hour, q.SettleBound())
	p.Timing.Preempt = -1
	require.Less(t, p.SettleBound(), bound-4*time.Second)
}

// TestSettles runs plans of every profile and number of nodes on the model. All hold, and all settle within the bound: the
// worst takes more than a tenth of it, so that it is not absurdly loose.
func TestSettles(t *testing.T) {
	runner := sim.NewRunner(model)
	worst, steps := 0.0, uint64(0)
	var stats sim.Stats
	for _, profile := range sim.Profiles() {
		seeds := 3 * soak()
		if profile.Changing() {
			seeds *= 4
		}
		for seed := range seeds {
			for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
				p, err := sim.Generate(seed, nodes, profile)
				require.NoError(t, err)
				result, err := runner.Run(&p, sim.Options{})
				require.NoError(t, err)
				require.Nil(t, result.Violation, "%s, %d nodes: %v", profile, nodes, result.Violation)
				require.Equal(t, p.Timely(), result.Timely, "%s, %d nodes, seed %d: a message waits behind saves for longer than δ", profile, nodes, seed)
				require.LessOrEqual(t, result.Bound, p.SettleBound())
				if bound := result.Bound; bound > 0 {
					worst = max(worst, float64(result.Settled)/float64(bound))
				}
				steps += result.Steps
				stats.Add(&result.Stats)
			}
		}
	}
	t.Logf("%d steps; the worst settles in %.2f of the bound; %+v", steps, worst, stats)
	require.Greater(t, worst, 0.1)
	require.Positive(t, stats.Deposed)
	require.Positive(t, stats.Torn)
	require.Positive(t, stats.Cut)
	require.Positive(t, stats.Proofs)
	require.Positive(t, stats.Settled)
	require.Positive(t, stats.Stopped)
	require.Greater(t, stats.Asked, stats.Of(spec.ChangeAction))
	for _, a := range spec.Actions() {
		require.Positive(t, stats.Of(a), a)
	}
}

// TestLockstep runs a plan of which every timer that is exactly as long as is said, and no longer after attempts in vain, would
// make an election without end: nodes 1 and 5, whose clocks are equally slow, claim the same epoch within one δ, or wait for
// node 4, which has given way to node 5, over and over. Ten minutes of it took 1832 epochs, and no leader.
func TestLockstep(t *testing.T) {
	p := quiet(5)
	p.Links.Delay = sim.Range{Min: 3382 * time.Microsecond, Max: 3382 * time.Microsecond}
	p.Rates = []float64{0.99, 1.01, 1.01, 1.01, 0.99}
	for _, i := range []int{1, 4, 5} {
		p.Faults = append(p.Faults, sim.Fault{At: 0, For: 39 * ms, Kind: sim.CrashFault, Node: id(i), Point: sim.Between})
	}
	p.Length = 39 * ms
	for seed := range uint64(20) {
		p.Seed = seed
		result := run(t, p, model)
		require.Nil(t, result.Violation)
		require.True(t, result.Timely)
		require.Less(t, result.Settled, 3*time.Second)
	}
}
