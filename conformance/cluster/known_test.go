package cluster

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestArchivesAreRead(t *testing.T) {
	scripts, err := readArchives(fstest.MapFS{
		"a.txtar": {Data: []byte("# Two of them.\n-- two --\n# One starts.\nmembers 1 2\nend 1 patience\n-- one --\nmembers 1\n")},
		"b.txtar": {Data: []byte("-- three --\nmembers 3\n")},
	})
	require.NoError(t, err)
	var where []string
	for i := range scripts {
		where = append(where, scripts[i].Where())
	}
	require.Equal(t, []string{"a.txtar:6: one", "b.txtar:1: three", "a.txtar:2: two"}, where)
	require.Equal(t, "One starts.", scripts[2].Comment)
	require.Len(t, scripts[2].Ops, 1)
}

func TestArchivesAreRefused(t *testing.T) {
	for _, c := range []struct{ file, text, problem string }{
		{"a.script", "members 1\n", "cluster: a.script: this is no archive, which ends in .txtar: put the script into one, under a line -- name --"},
		{"a.txtar", "members 1\n", "cluster: a.txtar: there is no line that begins a script, such as: -- cold-start --"},
		{"a.txtar", "--  --\nmembers 1\n", "cluster: a.txtar: there is no line that begins a script, such as: -- cold-start --"},
		{"a.txtar", "-- one --\nmembers 1\n-- two --\nmembers 1\nsing 1\n", "cluster: a.txtar: two: line 5: sing: there is no such op"},
		{"a.txtar", "-- one --\n-- two --\nmembers 1\n", "cluster: a.txtar: one: there is no line that says who the members are"},
		{"a.txtar", "-- one --\nmembers 1\n-- one --\nmembers 1\n", "there is another script of that name, a.txtar:"},
	} {
		_, err := readArchives(fstest.MapFS{c.file: {Data: []byte(c.text)}})
		require.ErrorContains(t, err, c.problem)
	}
}
