package generate_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/mutants/generate"
	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

const source = `package p

var limit = 3 < 4

func f(n int, names []string) (bool, error) {
	if n < 2 && names != nil {
		n++
		g()
		return true, nil
	}
	for _, name := range names {
		switch {
		case !ok(name):
			continue
		}
		_ = name
		x, err := h(n - 1)
		if err != nil {
			return false, err
		}
		n = x
	}
	panic("never")
}
`

func TestFile(t *testing.T) {
	all, err := generate.File(source)
	require.NoError(t, err)
	var said []string
	for _, m := range all {
		require.Equal(t, "f", m.Function)
		require.True(t, strings.Contains(strings.Split(source, "\n")[m.Line-1], strings.Fields(m.Old)[0]), "%d: %s", m.Line, m.Old)
		said = append(said, m.Old+" → "+m.New)
		broken := table.Apply(source, []table.Edit{m.Edit})
		require.NotEqual(t, source, broken)
		_, err := parser.ParseFile(token.NewFileSet(), "", broken, 0)
		require.NoError(t, err, broken)
	}
	require.Equal(t, []string{
		"n < 2 && names != nil → false && (n < 2 && names != nil)",
		"n < 2 && names != nil → true || (n < 2 && names != nil)",
		"n < 2 → n <= 2",
		"n < 2 → n < (2 + 1)",
		"n < 2 && names != nil → n < 2 || names != nil",
		"names != nil → names == nil",
		"n++ → if false { n++ }",
		"g() → if false { g() }",
		"true → false",
		"!ok(name) → ok(name)",
		"continue → if false { continue }",
		"n - 1 → n + 1",
		"n - 1 → n - (1 + 1)",
		"err != nil → false && (err != nil)",
		"err != nil → true || (err != nil)",
		"err != nil → err == nil",
		"err → func(error) error { return nil }(err)",
		"n = x → if false { n = x }",
	}, said)
}

// TestBesideAnError leaves alone what is returned beside an error, or beside false, and nothing else.
func TestBesideAnError(t *testing.T) {
	for results, want := range map[string][]string{
		"0, err":              {"err"},
		"0, ErrClosed":        nil,
		"0, io.EOF":           {"0"},
		"0, fs.ErrNotExist":   nil,
		"0, fmt.Errorf(text)": nil,
		"0, &failure{}":       {"0"},
		"0, false":            {"false"},
		"0, true":             {"0", "true"},
		"false, nil":          {"false"},
		"1, 2":                {"1", "2"},
		"f(0)":                nil,
	} {
		all, err := generate.File("package p\n\nfunc f() (int, error) {\n\treturn " + results + "\n}\n")
		require.NoError(t, err)
		var changed []string
		for _, m := range all {
			changed = append(changed, m.Old)
		}
		require.Equal(t, want, changed, results)
	}
}

func TestFileThatIsNone(t *testing.T) {
	_, err := generate.File("package")
	require.Error(t, err)
}
