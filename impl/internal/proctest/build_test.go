package proctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBuild: a command is built once, and Clean removes it.
func TestBuild(t *testing.T) {
	path, err := Build("./testdata/hello")
	require.NoError(t, err)
	said, err := exec.Command(path).Output()
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(said))
	again, err := Build("./testdata/hello")
	require.NoError(t, err)
	require.Equal(t, path, again)
	_, err = Build("./testdata/none")
	require.ErrorContains(t, err, "testdata/none")
	_, same := Build("./testdata/none")
	require.Equal(t, err, same, "it is tried once")

	require.NoError(t, Clean())
	require.NoDirExists(t, filepath.Dir(path))
	require.NoError(t, Clean(), "nothing is left to remove")
}

// module is a module of which one test builds a command, by its files.
var module = map[string]string{
	"go.mod":         "module example.test/m\n\ngo 1.26\n",
	"word/word.go":   "package word\n\nconst Word = \"hello\"\n",
	"hello/hello.go": "package main\n\nimport (\n\t_ \"embed\"\n\n\t\"example.test/m/word\"\n)\n\n//go:embed text\nvar text string\n\nfunc main() { println(word.Word, text) }\n",
	"hello/text":     "you",
	"user/user_test.go": "package user\n\nimport (\n\t\"testing\"\n\n\t\"example.test/m/proctest\"\n)\n\nfunc TestHello(t *testing.T) {\n\tdefer proctest.Clean()\n" +
		"\tif _, err := proctest.Build(\"../hello\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
}

// TestCache: Go's test cache keeps the result of a test that builds a command, until a file of that command changes, or
// there is one more.
func TestCache(t *testing.T) {
	root, ago := t.TempDir(), time.Now().Add(-time.Hour)
	write := func(name, text string) {
		name = filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(name, ago, ago), "the cache does not trust files that have just been written")
	}
	for name, text := range module {
		write(name, text)
	}
	self, err := os.ReadFile("build.go")
	require.NoError(t, err)
	write("proctest/build.go", string(self))
	run := func() string {
		command := exec.Command("go", "test", "./user")
		command.Dir = root
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s", said)
		return string(said)
	}
	run()
	for _, change := range []struct{ name, text string }{
		{"word/word.go", "package word\n\nconst Word = \"welcome\"\n"},
		{"hello/text", "all of you"},
		{"word/more.go", "package word\n"},
	} {
		require.Contains(t, run(), "(cached)", "before %s changes", change.name)
		write(change.name, change.text)
		require.NotContains(t, run(), "(cached)", "%s has changed", change.name)
	}
}
