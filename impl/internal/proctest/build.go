package proctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// builds are the commands that Build has built in this process, and the folder that they are in.
var builds struct {
	mu     sync.Mutex
	folder string
	made   map[string]built
}

// built is the outcome of one build.
type built struct {
	path string
	err  error
}

// Build builds the command in a folder of this module, named as go build names it, and returns the
// path of the program. The program of one package is built once in each test process, and all
// programs lie in one folder. TestMain must call [Clean] after all tests.
//
// Build makes the result of the test depend on the sources of the command, see [Depend]. So it must
// be called by a test, and not by TestMain: Go's test cache ignores what happens before m.Run.
func Build(pkg string) (path string, err error) {
	builds.mu.Lock()
	defer builds.mu.Unlock()
	if b, done := builds.made[pkg]; done {
		return b.path, b.err
	}
	if builds.made == nil {
		builds.made = map[string]built{}
	}
	path, err = build(pkg)
	builds.made[pkg] = built{path, err}
	return path, err
}

// build builds one command.
func build(pkg string) (path string, err error) {
	if builds.folder == "" {
		if builds.folder, err = os.MkdirTemp("", "proctest-"); err != nil {
			return "", err
		}
	}
	if err := Depend(pkg); err != nil {
		return "", err
	}
	// Go names the program after the folder of its package, if the output is a folder.
	folder, err := filepath.Abs(pkg)
	if err != nil {
		return "", err
	}
	_, err = goTool(nil, "build", "-o", builds.folder+string(filepath.Separator), pkg)
	return filepath.Join(builds.folder, filepath.Base(folder)), err
}

// Clean removes all programs that Build has built.
func Clean() error {
	builds.mu.Lock()
	defer builds.mu.Unlock()
	folder := builds.folder
	builds.folder, builds.made = "", nil
	if folder == "" {
		return nil
	}
	return os.RemoveAll(folder)
}

// sources is the template of go list that prints the files of this module that a package is built
// of, each with the word open, and their folders, each with the word stat.
const sources = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}stat {{.Dir}}
open {{.Module.GoMod}}
{{range .GoFiles}}open {{$dir}}/{{.}}
{{end}}{{range .CgoFiles}}open {{$dir}}/{{.}}
{{end}}{{range .CFiles}}open {{$dir}}/{{.}}
{{end}}{{range .HFiles}}open {{$dir}}/{{.}}
{{end}}{{range .SFiles}}open {{$dir}}/{{.}}
{{end}}{{range .EmbedFiles}}open {{$dir}}/{{.}}
{{end}}{{end}}{{end}}`

// Depend makes the result of a test depend on all files of this module that a package is built of,
// and on the packages that it imports. Go's test cache keeps a result as long as the files that the
// test opened through package os are the same; it does not see the files that a go command opens
// which the test runs. The variables of env, as "GOOS=js", are added to those of this process.
func Depend(pkg string, env ...string) error {
	for _, name := range []string{"GOFLAGS", "GOOS", "GOARCH", "CGO_ENABLED", "GOTOOLCHAIN"} {
		os.Getenv(name) // Go's test cache notes that the result depends on it.
	}
	list, err := goTool(env, "list", "-deps", "-f", sources, pkg)
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		how, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch how {
		case "stat": // A folder changes when a file is added or removed.
			if _, err := os.Stat(name); err != nil {
				return err
			}
		case "open":
			file, err := os.Open(name)
			if err != nil {
				return err
			}
			_ = file.Close() // nothing was written
		}
	}
	return nil
}

// goTool runs the go command, and returns what it prints.
func goTool(env []string, args ...string) (out string, err error) {
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), env...)
	var said, complaint strings.Builder
	command.Stdout, command.Stderr = &said, &complaint
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("go %s %s: %w\n%s%s", args[0], args[len(args)-1], err, &said, &complaint)
	}
	return said.String(), nil
}
