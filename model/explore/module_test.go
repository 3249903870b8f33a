package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// toyModule is of states that are numbers, and a model that says how far they go.
var toyModule = Module[int, int]{
	Name: "MCToy", Specifications: []string{"Spec"}, Constants: []Constant[int]{{Name: "N", Least: 1, Most: 9, Number: func(m *int, n int) { *m = n }}},
	Bounds: map[string]string{"Nat": "UpToN"}, Needed: []string{"First"},
	Replacements: map[string]map[string]func(*int){"First": {"One": func(m *int) { *m++ }}},
	Invariants:   map[string]func(m, s *int) bool{"Small": func(m, s *int) bool { return *s <= *m }, "Even": func(_, s *int) bool { return *s%2 == 0 }},
	Steps:        map[string]func(m, now, next *int) bool{"Rises": func(_, now, next *int) bool { return *next > *now }},
	Liveness:     []string{"Ends"},
}

func toyConfiguration() Configuration {
	return Configuration{
		Module: "MCToy", Specification: "Spec", Constants: map[string]string{"N": "4"},
		Replacements: map[string]string{"Nat": "UpToN", "First": "One"}, Invariants: []string{"Even", "Small"}, Properties: []string{"Ends", "Rises"},
	}
}

func configured(c Configuration) (m int, checks Checks[int, int], err error) {
	checks, err = toyModule.Configure(&m, c)
	return m, checks, err
}

func TestModule(t *testing.T) {
	m, checks, err := configured(toyConfiguration())
	require.NoError(t, err)
	require.Equal(t, 5, m, "the constant first, then the replacement")
	two, four, seven := 2, 4, 7
	require.Empty(t, checks.Broken(&m, &four))
	require.Equal(t, "Even", checks.Broken(&m, &seven), "the first that the configuration names")
	require.Empty(t, checks.BrokenBy(&m, &two, &four))
	require.Equal(t, "Rises", checks.BrokenBy(&m, &four, &two))
	require.Equal(t, []string{"Ends"}, checks.Unchecked())
}

func TestModuleRefuses(t *testing.T) {
	for problem, spoil := range map[string]func(*Configuration){
		`module "MCOther" is not MCToy`:               func(c *Configuration) { c.Module = "MCOther" },
		`module MCToy has no specification "Fair"`:    func(c *Configuration) { c.Specification = "Fair" },
		`module MCToy has no constant "M"`:            func(c *Configuration) { c.Constants["M"] = "1" },
		`constant N = "0" is not a number`:            func(c *Configuration) { c.Constants["N"] = "0" },
		`Nat is "" and must be UpToN`:                 func(c *Configuration) { delete(c.Replacements, "Nat") },
		`constant First has no value`:                 func(c *Configuration) { delete(c.Replacements, "First") },
		`module MCToy has no replacement First <- T`:  func(c *Configuration) { c.Replacements["First"] = "Two" },
		`module MCToy has no replacement Next <- One`: func(c *Configuration) { c.Replacements["Next"] = "One" },
		`module MCToy has no invariant "Rises"`:       func(c *Configuration) { c.Invariants = []string{"Rises"} },
		`module MCToy has no property "Small"`:        func(c *Configuration) { c.Properties = []string{"Small"} },
	} {
		c := toyConfiguration()
		spoil(&c)
		_, _, err := configured(c)
		require.ErrorContains(t, err, problem)
	}
}
