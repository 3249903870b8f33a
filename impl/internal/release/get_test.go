package main

import (
	"archive/zip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// root is the folder of the repository.
const root = "../../.."

// needGit skips a test where the tree is no clone: what is released is what git has.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := output(t.Context(), root, nil, "git", "rev-parse", "HEAD"); err != nil {
		t.Skipf("needs a clone: %v", err)
	}
}

// requiredVersion is the version that the modules of the repository require of each other.
func requiredVersion(t *testing.T, modules []moduleFile) string {
	versions := map[string]bool{}
	for _, m := range modules {
		for _, r := range m.Require {
			if ours(r.Path) {
				versions[r.Version] = true
			}
		}
	}
	require.Len(t, versions, 1, "the modules of a release require one version of each other: make release VERSION=... sets it")
	return slices.Collect(maps.Keys(versions))[0]
}

// serve writes a module as the proxies of Go serve it: what is tracked in its folder, without the modules within.
func serve(t *testing.T, proxy, version string, m moduleFile, files []string) {
	t.Helper()
	require.Equal(t, strings.ToLower(m.Module.Path), m.Module.Path, "an upper-case letter would have to be escaped here")
	folder := filepath.Join(proxy, filepath.FromSlash(m.Module.Path), "@v")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	mod, err := os.ReadFile(filepath.Join(root, m.Folder, "go.mod"))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"list": version + "\n", version + ".mod": string(mod), version + ".info": fmt.Sprintf(`{"Version": %q, "Time": "2026-01-01T00:00:00Z"}`, version),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	out, err := os.Create(filepath.Join(folder, version+".zip"))
	require.NoError(t, err)
	defer out.Close()
	w := zip.NewWriter(out)
	for _, file := range append(within(m, files), "LICENSE") { // which go takes along from the root
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		name := strings.TrimPrefix(file, m.Folder+"/")
		entry, err := w.Create(m.Module.Path + "@" + version + "/" + name)
		require.NoError(t, err)
		_, err = entry.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
}

// within returns the files of a module: what is below another go.mod, be it one of testdata, is not of it.
func within(m moduleFile, files []string) (in []string) {
	for _, file := range files {
		deepest := "."
		for _, other := range files {
			if folder := path.Dir(other); path.Base(other) == "go.mod" && strings.HasPrefix(file, folder+"/") && len(folder) > len(deepest) {
				deepest = folder
			}
		}
		if deepest == m.Folder && file != "LICENSE" && !isSymlink(file) {
			in = append(in, file)
		}
	}
	return in
}

func isSymlink(file string) bool {
	info, err := os.Lstat(filepath.Join(root, file))
	return err == nil && info.Mode().Type() == os.ModeSymlink
}

// TestGet gets each module as a newcomer does, into an empty cache, from a proxy that has what a release would be: a program that imports each
// package that can be imported finds all that it needs. That of the whole protocol is built, and so is that of the smallest module within; the
// others' own tests build the same files.
func TestGet(t *testing.T) {
	slowtest.Only(t, "it builds every module as a user gets it")
	needGit(t)
	modules, err := modulesOf(t.Context(), root)
	require.NoError(t, err)
	require.Greater(t, len(modules), 3)
	version := requiredVersion(t, modules)
	tracked, err := output(t.Context(), root, nil, "git", "-c", "core.quotePath=false", "ls-files")
	require.NoError(t, err)
	proxy, cache := t.TempDir(), t.TempDir()
	for _, m := range modules {
		serve(t, proxy, version, m, strings.Split(tracked, "\n"))
	}
	// What others have made is in the cache of this machine, as the tests of these modules need it: it is a proxy too, and nobody else is asked.
	machine, err := output(t.Context(), root, nil, "go", "env", "GOMODCACHE")
	require.NoError(t, err)
	env := []string{"GOPROXY=file://" + proxy + ",file://" + machine + "/cache/download,off", "GOMODCACHE=" + cache, "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOWORK=off"}
	for _, m := range modules {
		if !slices.ContainsFunc(strings.Split(tracked, "\n"), func(file string) bool { return inModule(m, file) && isSource(file) }) {
			continue // tests alone, which nobody gets
		}
		t.Run(strings.ReplaceAll(m.Folder, "/", "_"), func(t *testing.T) {
			if m.Folder != "." {
				_, err := output(t.Context(), filepath.Join(root, m.Folder), []string{"GOFLAGS="}, "go", "mod", "download")
				require.NoError(t, err)
			}
			get(t, m, version, env)
		})
	}
}

// inModule reports whether a file is below the folder of a module, or of one within.
func inModule(m moduleFile, file string) bool {
	return m.Folder == "." || strings.HasPrefix(file, m.Folder+"/")
}

// isSource reports whether a file is Go, and no test.
func isSource(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
}

// get makes a program in an empty folder that imports all of a module, and builds it.
func get(t *testing.T, m moduleFile, version string, env []string) {
	folder := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := output(t.Context(), folder, env, "go", args...)
		require.NoError(t, err)
		return out
	}
	run("mod", "init", "example.test/program")
	run("get", m.Module.Path+"/...@"+version)
	var program strings.Builder
	program.WriteString("package main\n\n")
	for line := range strings.Lines(run("list", "-f", "{{if .GoFiles}}{{.Name}} {{.ImportPath}} {{.Module.Path}}{{end}}", m.Module.Path+"/...")) {
		var name, pack, of string
		_, err := fmt.Sscan(line, &name, &pack, &of)
		require.NoError(t, err, line)
		if name != "main" && of == m.Module.Path && !slices.Contains(strings.Split(pack, "/"), "internal") {
			fmt.Fprintf(&program, "import _ %q\n", pack)
		}
	}
	if !strings.Contains(program.String(), "import") {
		return // programs alone, which go get has just fetched
	}
	program.WriteString("\nfunc main() {}\n")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program.String()), 0o600))
	require.Equal(t, module+" "+version, run("list", "-m", module), "the one that was released with it")
	run("list", "-deps", ".")
	if small := path.Join("impl", "host", "prometheus"); m.Folder == "." || m.Folder == small {
		run("build", "-o", "program", ".")
		require.NoError(t, exec.CommandContext(t.Context(), filepath.Join(folder, "program")).Run())
	}
}
