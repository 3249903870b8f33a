package cluster

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
)

// cluster is one configuration of module MCCluster.
type cluster struct {
	explore.Checks[cluster, clusterState]
	rules   *rules.Rules
	timing  timing
	users   *users             // or nil: nobody acts but as its node leads
	never   [rules.Timers]bool // whether the action of a timer is replaced by Never
	n       rules.ID
	links   []link
	index   [MaxNodes + 1][MaxNodes + 1]int // index[i][j]: where link{i, j} is in links
	cuts    []cut
	near    [][MaxNodes + 1]rules.Set // near[k][i]: with cut k, whom i hears and who hears i; and i
	first   rules.Configuration
	wanted  []rules.Configuration // without a stamp
	lists   []*rules.Members      // all there are in configurations of the cluster, by their place; lists[0] is nil, of nobody
	free    bool                  // timers end at any time, but for patience, which needs the order of time
	tooSoon bool                  // ... and patience ends at any time too
	asAsked bool                  // numbers stay as they were asked
	unworn  bool                  // ... or those of answers do, though they can never count any more
	kept    bool                  // messages are kept, and delivered at any time, in any order, over and over
	static  bool                  // every node has the first configuration for ever
	budget  [faults]uint8
}

var _ explore.Model = (*cluster)(nil)

// budgets are the constants that set the budget, by fault.
var budgets = [faults]string{"MaxEarly", "MaxCrash", "MaxLoss", "MaxCut", "MaxResign", "MaxChange", "MaxAsk", "MaxHeartbeat"}

// constants are those that are given by the name of an operator.
var constants = []string{"Cuts", "First", "Wanted"}

// New builds the model of one configuration of module MCCluster. An unknown or missing constant, replacement, invariant or
// property is an error that names it; so is a constant that the packed state has no room for. The liveness properties are
// not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	return newCluster(c)
}

func newCluster(c explore.Configuration) (*cluster, error) {
	asks := &module
	switch c.Module {
	case module.Name:
	case withUsers.Name:
		asks = &withUsers
	default:
		return nil, fmt.Errorf("cluster: module %q is neither %s nor %s", c.Module, module.Name, withUsers.Name)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("cluster: specification %q is neither Spec nor FairSpec", c.Specification)
	}
	m := &cluster{rules: rules.New(), timing: onTime, lists: []*rules.Members{nil}}
	m.rules.ReserveOne()
	if asks == &withUsers {
		if m.users = asTheyAre(); c.Replacements["Arriving"] == "" || c.Replacements["Lapsed"] == "" || c.Replacements[c.Specification] == "" {
			return nil, fmt.Errorf("cluster: module %s needs %s, Arriving and Lapsed replaced", c.Module, c.Specification)
		}
	}
	if err := m.setNumbers(c.Constants); err != nil {
		return nil, err
	}
	if err := m.replaceAll(c.Replacements); err != nil {
		return nil, err
	}
	m.static = len(m.wanted) == 0 && m.first.All() == rules.UpTo(m.n) && c.Replacements["Stamped"] == "Unstamped"
	var err error
	if m.Checks, err = asks.Checks(c.Invariants, c.Properties); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return m, nil
}

// setNumbers takes the constants that are numbers.
func (c *cluster) setNumbers(numbers map[string]string) error {
	for name := range numbers {
		if name != "N" && !slices.Contains(budgets[:], name) {
			return fmt.Errorf("cluster: %s is no constant of module MCCluster that is a number", name)
		}
	}
	n, err := explore.Number(numbers, "N", 1, MaxNodes)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	c.n = rules.ID(n)
	c.links = linksAmong(c.n)
	for l, ends := range c.links {
		c.index[ends.from][ends.to] = l
	}
	for f, name := range budgets {
		if fault(f) >= ask {
			c.budget[f] = unlimited
			continue
		}
		left, err := explore.Number(numbers, name, 0, MaxBudget)
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		c.budget[f] = uint8(left)
	}
	return nil
}

// replaceAll makes the replacements, of which those of the constants must be some.
func (c *cluster) replaceAll(replaced map[string]string) error {
	for _, constant := range constants {
		name, ok := replaced[constant]
		if !ok {
			return fmt.Errorf("cluster: constant %s has no value", constant)
		}
		if err := c.set(constant, name); err != nil {
			return err
		}
	}
	for operator, name := range replaced {
		if slices.Contains(constants, operator) {
			continue
		}
		if err := c.replace(operator, name); err != nil {
			return err
		}
	}
	return nil
}

// sparing are the numbers that MaxAsk and MaxHeartbeat may be replaced with, as in tla/MCCluster.tla.
var sparing = map[string]uint8{"Once": 1, "Twice": 2, "ThreeTimes": 3, "FourTimes": 4, "FiveTimes": 5, "SixTimes": 6}

// modes are the replacements that say what the network keeps, and when timers end, as in tla/MCCluster.tla.
var modes = map[string]func(*cluster){
	"Kept <- Everything":      func(c *cluster) { c.kept = true },
	"Free <- AtAnyTime":       func(c *cluster) { c.free = true },
	"Expired <- EndsTooSoon":  func(c *cluster) { c.tooSoon = true },
	"Renumbers <- AsAsked":    func(c *cluster) { c.asAsked = true },
	"MayCount <- EveryAnswer": func(c *cluster) { c.unworn = true },
}

// replace puts the named operator of module MCCluster in the place of another.
func (c *cluster) replace(operator, name string) error {
	if left, ok := sparing[name]; ok && (operator == "MaxAsk" || operator == "MaxHeartbeat") {
		c.budget[map[string]fault{"MaxAsk": ask, "MaxHeartbeat": heartbeat}[operator]] = left
		return nil
	}
	if set := userReplacements[operator][name]; set != nil && c.users != nil {
		set(c)
		return nil
	}
	if set, ok := modes[operator+" <- "+name]; ok {
		set(c)
		return nil
	}
	if known, ok := timings[operator]; ok {
		replace, ok := known[name]
		if !ok {
			return noReplacement(operator, name)
		}
		replace(&c.timing)
		return nil
	}
	for t := range rules.Timer(rules.Timers) {
		if operator != string(t.Spec().Action()) {
			continue
		}
		if name != "Never" {
			return noReplacement(operator, name)
		}
		c.never[t] = true
		return nil
	}
	return c.rules.Replace(operator, name, c.first)
}

func noReplacement(operator, name string) error {
	return fmt.Errorf("cluster: %s is no replacement of %s", name, operator)
}

// Init implements explore.Model.
func (c *cluster) Init(emit func(state []byte)) {
	c.init(func(s *clusterState) { emit(c.pack(s, nil)) })
}

// Expander implements explore.Model.
func (c *cluster) Expander() explore.Expander { return &stepper{cluster: c} }

// Render implements explore.Model.
func (c *cluster) Render(state []byte) []explore.Variable {
	var s clusterState
	c.unpack(state, &s)
	return c.render(&s)
}

// Check implements explore.Expander.
func (p *stepper) Check(state []byte) string {
	p.unpack(state, &p.now)
	return p.Broken(p.cluster, &p.now)
}

// Expand implements explore.Expander. The actions are in the order of Next in tla/Cluster.tla.
func (p *stepper) Expand(state []byte, emit func(step explore.Step, next []byte, broken string)) {
	p.unpack(state, &p.now)
	p.emit = emit
	for _, t := range timeouts {
		if !p.never[t.timer] {
			p.onNodes(t.take)
		}
	}
	p.receiveAll()
	p.onNodes((*stepper).resign)
	p.onNodes((*stepper).holderDead)
	p.onNodes((*stepper).change)
	p.onNodes((*stepper).crash)
	p.onNodes((*stepper).restart)
	for l := range p.links {
		p.lose(l)
	}
	for k := range p.cuts {
		p.changeCut(uint8(k))
	}
	if p.users != nil {
		p.usersAct()
	}
}

// onNodes takes the action of each node.
func (p *stepper) onNodes(action func(*stepper, rules.ID)) {
	for i := rules.ID(1); i <= p.n; i++ {
		action(p, i)
	}
}
