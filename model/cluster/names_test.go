package cluster

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/rules"
)

// operatorsIn returns the operators without arguments that a section of a module defines.
func operatorsIn(section string) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^(\w+) +==`).FindAllStringSubmatch(section, -1) {
		names = append(names, m[1])
	}
	return names
}

// Each name in the sections of MCCluster.tla is known here for what it is there, and there are no others.
func TestNamesAreThoseOfMCCluster(t *testing.T) {
	text, err := os.ReadFile("../../tla/MCCluster.tla")
	require.NoError(t, err)
	sections := strings.Split(string(text), strings.Repeat("-", 77)+"\n")
	require.Len(t, sections, 8)

	var here []string
	for _, topology := range topologies {
		here = append(here, topology.name)
	}
	require.ElementsMatch(t, operatorsIn(sections[1]), here)
	require.ElementsMatch(t, operatorsIn(sections[2]), slices.Collect(maps.Keys(sparing)))
	require.ElementsMatch(t, operatorsIn(sections[3]), slices.Concat(slices.Collect(maps.Keys(firsts)), slices.Collect(maps.Keys(wanteds)), slices.Collect(maps.Keys(rankings))))

	here = []string{"Calm", "NamedWhenStill", "NeverSettled", "NeverLedByWitness"}
	for name := range module.Invariants {
		if strings.HasPrefix(name, "Never") {
			here = append(here, name)
		}
	}
	for name := range module.Steps {
		if strings.HasPrefix(name, "Never") {
			here = append(here, name)
		}
	}
	require.ElementsMatch(t, operatorsIn(sections[4]+sections[5]), here)

	for _, m := range regexp.MustCompile(`(?m)^(\w+)(?:\(.*?\))? +==.*\\\* for (\w+)([^:\n]*)`).FindAllStringSubmatch(sections[6]+sections[7], -1) {
		name, operator := m[1], m[2]
		switch {
		case strings.Contains(m[3], "in traces"):
			require.Error(t, rules.New().Replace(operator, name, rules.Configuration{}), name)
		case name == "Never":
			require.Equal(t, "a", operator) // timer's action
		case modes[operator+" <- "+name] != nil:
		case timings[operator] != nil:
			require.Contains(t, timings[operator], name)
		default:
			require.NoError(t, rules.New().Replace(operator, name, rules.Configuration{}), name)
		}
	}
	for operator, names := range timings {
		for name := range names {
			require.Regexp(t, `(?m)^`+name+`\b.*\\\* for `+operator, sections[6]+sections[7])
		}
	}
	for operator, names := range rules.Replacements() {
		for _, name := range names {
			require.Regexp(t, `(?m)^`+name+`\b.*\\\* for `+operator, sections[7])
		}
	}
}

// Each property in Cluster.tla is known here as what it is there, and there are no others; what is replaced is defined there, or in
// module Node.
func TestNamesAreThoseOfCluster(t *testing.T) {
	text, err := os.ReadFile("../../tla/Cluster.tla")
	require.NoError(t, err)
	node, err := os.ReadFile("../../tla/Node.tla")
	require.NoError(t, err)
	_, promised, ok := strings.Cut(string(text), "(* What is promised *)")
	require.True(t, ok)
	require.Regexp(t, `(?m)^TypeOK ==`, string(text)) // beside the variables

	here := []string{"Known", "Acting", "Eligible", "Demoted", "Reaching", "Settled", "HalfReached", "HighestLed", "Still", "Election"} // what properties are said with
	for name := range module.Invariants {
		if name != "TypeOK" && name != "Calm" && name != "NamedWhenStill" && !strings.HasPrefix(name, "Never") { // Calm, NamedWhenStill and the witnesses: MCCluster.tla
			here = append(here, name)
		}
	}
	for name := range module.Steps {
		if !strings.HasPrefix(name, "Never") {
			here = append(here, name)
		}
	}
	for _, name := range module.Liveness {
		if !strings.HasPrefix(name, "Never") {
			here = append(here, name)
		}
	}
	require.ElementsMatch(t, operatorsIn(promised), here)

	for operator := range timings {
		require.Regexp(t, `(?m)^`+operator+`\b.*==`, string(text))
	}
	for operator := range rules.Replacements() {
		require.Regexp(t, `(?m)^`+operator+`\b.*==`, string(text)+string(node))
	}
}

// Each name of MCUsers.tla is known here for what it is there, and there are no others; what is replaced is defined in Users.tla or Cluster.tla.
func TestNamesAreThoseOfMCUsers(t *testing.T) {
	read := func(module string) string {
		text, err := os.ReadFile("../../tla/" + module + ".tla")
		require.NoError(t, err)
		return string(text)
	}
	replacing, modules := read("MCUsers"), read("Users")+read("Cluster")
	there := map[string][]string{ // what each configuration replaces, by what is in Users.tla
		"Spec": {"WithUsers"}, "FairSpec": {"FairWithUsers"}, "Arriving": {"PastWaiting"}, "Lapsed": {"Stopped"},
	}
	for operator, names := range there {
		require.Regexp(t, `(?m)^\\\* For `+operator+`[.:](.*\n)+?`+names[0]+`\b.* ==`, modules)
	}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)\(.*?\) +==.*\\\* for (\w+)`).FindAllStringSubmatch(replacing, -1) {
		there[m[2]] = append(there[m[2]], m[1])
	}
	here := map[string][]string{}
	for operator, names := range userReplacements {
		require.Regexp(t, `(?m)^`+operator+`\b.*==`, modules)
		here[operator] = slices.Sorted(maps.Keys(names))
	}
	for operator := range there {
		slices.Sort(there[operator])
	}
	require.Equal(t, there, here)
	asked := []string{"AllActLeading"} // what properties are said with
	for name := range userInvariants {
		asked = append(asked, name)
	}
	_, promised, ok := strings.Cut(read("Users"), "(* What is promised *)")
	require.True(t, ok)
	require.ElementsMatch(t, operatorsIn(promised+replacing), asked)
}
