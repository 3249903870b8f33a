package tla

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseConfiguration(t *testing.T) {
	c, err := ParseConfiguration("a.cfg", `\* Does a leader survive? (L4)
\* A second comment is only that.
SPECIFICATION FairSpec

CONSTANTS
  N = 3
  Flapping = {1, 2}   \* those that come and go
  Nobody = {}
  Preempt = TRUE
  Cuts <- NoCuts
INVARIANTS
  TypeOK
PROPERTIES
  SomeLeader
CHECK_DEADLOCK FALSE
`)
	require.NoError(t, err)
	require.Equal(t, Configuration{
		Question:      "Does a leader survive? (L4)",
		Specification: "FairSpec",
		Constants:     map[string]string{"N": "3", "Flapping": "{1, 2}", "Nobody": "{}", "Preempt": "TRUE"},
		Replacements:  map[string]string{"Cuts": "NoCuts"},
		Invariants:    []string{"TypeOK"},
		Properties:    []string{"SomeLeader"},
	}, c)
	require.True(t, c.Checks("TypeOK"))
	require.True(t, c.Checks("SomeLeader"))
	require.False(t, c.Checks(Deadlock))
}

func TestParseConfigurationRefuses(t *testing.T) {
	const head = "\\* Why?\nSPECIFICATION Spec\n"
	for text, message := range map[string]string{
		"":                                      "a.cfg:1: the first line must be a comment",
		"SPECIFICATION Spec\n":                  "a.cfg:1: the first line must be a comment",
		"\\*  \n":                               "a.cfg:1: the first line must be a comment",
		"\\* Why?\nN = 3\n":                     `a.cfg:2: "N = 3" is none of the sections`,
		head + "CONSTANT\n":                     `a.cfg:3: "CONSTANT" is none of the sections`,
		head + "CONSTRAINT C\n":                 `a.cfg:3: "CONSTRAINT C" is none of the sections`,
		head + "INIT Init\n":                    `a.cfg:3: "INIT Init" is none of the sections`,
		head + "CONSTANTS N = 3\n":              `a.cfg:3: "N = 3" must be on a line of its own, below CONSTANTS`,
		head + "CONSTANTS\n  N\n":               `a.cfg:4: "N" is neither Name = value nor Name <- Operator`,
		head + "CONSTANTS\n  = 3\n":             `is neither Name = value`,
		head + "CONSTANTS\n  N = 3 M = 4\n":     `N: "3 M = 4" is not a number, TRUE, FALSE or a set of numbers`,
		head + "CONSTANTS\n  N = \"all\"\n":     "is not a number",
		head + "CONSTANTS\n  N = -1\n":          "is not a number",
		head + "CONSTANTS\n  N = {1, a}\n":      "is not a number",
		head + "CONSTANTS\n  N <- 3\n":          `N: "3" is not the name of an operator`,
		head + "CONSTANTS\n  N = 3\n  N = 3\n":  "a.cfg:5: N for the second time",
		head + "CONSTANTS\n  N = 3\n  N <- M\n": "a.cfg:5: N for the second time",
		head + "SPECIFICATION Spec\n":           "a.cfg:3: SPECIFICATION for the second time",
		head + "INVARIANTS\n  A B\n":            `a.cfg:4: "A B" is not one name`,
		head + "INVARIANTS\n  A\n  A\n":         "a.cfg:5: A for the second time",
		"\\* Why?\nSPECIFICATION Other\n":       `a.cfg:2: SPECIFICATION is "Other", not Spec or FairSpec`,
		"\\* Why?\nSPECIFICATION\n  Spec\n":     `a.cfg:2: SPECIFICATION is "", not Spec or FairSpec`,
		head + "CHECK_DEADLOCK no\n":            `a.cfg:3: CHECK_DEADLOCK is "no", not TRUE or FALSE`,
		head + "INVARIANTS\n  A":                "CHECK_DEADLOCK is missing",
		"\\* Why?\nCHECK_DEADLOCK TRUE\n":       "SPECIFICATION is missing",
		head + "CHECK_DEADLOCK FALSE\n":         "nothing to check",
	} {
		_, err := ParseConfiguration("a.cfg", text)
		require.ErrorContains(t, err, message, text)
	}
}

// FuzzParseConfiguration checks that no text breaks the parser, and that what it accepts is a
// configuration.
func FuzzParseConfiguration(f *testing.F) {
	f.Add(counterCfg)
	f.Add("\\* Why?\nSPECIFICATION Spec\nCONSTANTS\n  S = { 1,2 }\n  T <- U\nCHECK_DEADLOCK TRUE\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConfiguration("a.cfg", text)
		if err != nil {
			require.ErrorContains(t, err, "a.cfg:")
			return
		}
		require.NotEmpty(t, c.Question)
		require.Contains(t, []string{"Spec", "FairSpec"}, c.Specification)
		require.True(t, c.CheckDeadlock || len(c.Invariants)+len(c.Properties) > 0)
	})
}
