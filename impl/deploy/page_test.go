package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// stands are what stands for a program that would change this machine, or wants another: it looks at what it is given, and does as much as
// it can without.
var stands = map[string]string{
	"systemctl":        `test "$*" = "enable --now bully" && test -x "$ROOT/usr/local/bin/bully" && test -s "$ROOT/etc/systemd/system/bully.service"`,
	"systemd-sysusers": `test -s "$ROOT/usr/lib/sysusers.d/bully.conf"`,
	"docker":           `test "$1 $2 $4" = "build -f -t" && test -s "$3" && test -s "$6/go.mod"`,
	"kubectl": `case "$1 $2" in
"create secret") for argument; do case $argument in --from-file=*) test -s "${argument##*=}" || exit 1; echo "${argument#*=}" >>"$ROOT/secret";; esac; done;;
"apply -f") test -s "$3";;
*) exit 1;; esac`,
	"install": `if [ "$1" = -o ]; then shift 2; fi; exec /usr/bin/install "$@"`,
	"haproxy": `test "$1 $2" = "-c -f" && test -s "$3"`,
}

// TestPage runs all that README.md says, from top to bottom, in a folder of its own, where nothing is changed outside it.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir, stand := t.TempDir(), t.TempDir()
	folder := filepath.Join(dir, "impl/deploy")
	require.NoError(t, os.CopyFS(folder, os.DirFS(".")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module bully\n"), 0o600))
	program, err := filepath.Abs(binary)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, filepath.Join(folder, "bully")))
	for name, does := range stands {
		if _, err := exec.LookPath(name); name == "haproxy" && err == nil {
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(stand, name), []byte("#!/bin/sh\nset -eu\n"+does+"\n"), 0o700))
	}
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "etc/bully"), 0o700))
	ran := 0
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(page), -1) {
		script := regexp.MustCompile(` (/(?:usr|etc)/)`).ReplaceAllString(block[1], " $$ROOT$1")
		shell := exec.CommandContext(within(t), "sh", "-eux", "-c", script)
		shell.Dir = folder
		shell.Env = append(os.Environ(), "PATH="+stand+":"+folder+":"+os.Getenv("PATH"), "ROOT="+root)
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s\n%s", script, out)
		ran++
	}
	require.Equal(t, strings.Count(string(page), "```")/2, ran, "a block that is not run")
	m := readManifests(t)
	secret, err := os.ReadFile(filepath.Join(root, "secret"))
	require.NoError(t, err)
	keys := map[string]bool{}
	for line := range strings.Lines(string(secret)) {
		key, _, named := strings.Cut(strings.TrimSpace(line), "=")
		if !named {
			key = filepath.Base(key)
		}
		keys[key] = true
	}
	for _, item := range m.set.Spec.Template.Spec.Volumes[0].Secret.Items {
		require.True(t, keys[item.Key], "the secret that the page makes has no %s", item.Key)
	}
}

// TestFiles: the page says of each file what it is for, and of none that is not there.
func TestFiles(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var named, there []string
	for _, match := range regexp.MustCompile(`\]\(([^)/]+)\)`).FindAllStringSubmatch(string(page), -1) {
		named = append(named, match[1])
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if name := e.Name(); !strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "go.") && name != "README.md" {
			there = append(there, name)
		}
	}
	require.ElementsMatch(t, there, named)
}

// TestScraped: prometheus.yml loads the alerts, and labels what they ask for.
func TestScraped(t *testing.T) {
	text, err := os.ReadFile("prometheus.yml")
	require.NoError(t, err)
	var config struct {
		Global struct {
			Scrape     string `json:"scrape_interval"`
			Evaluation string `json:"evaluation_interval"`
		} `json:"global"`
		Rules []string `json:"rule_files"`
		Jobs  []struct {
			Name    string `json:"job_name"`
			Targets []struct {
				Targets []string          `json:"targets"`
				Labels  map[string]string `json:"labels"`
			} `json:"static_configs"`
		} `json:"scrape_configs"`
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &config))
	require.Equal(t, []string{"alerts.yaml"}, config.Rules)
	require.Equal(t, []string{interval.String(), interval.String()}, []string{config.Global.Scrape, config.Global.Evaluation})
	require.Equal(t, "bully", config.Jobs[0].Name)
	require.Contains(t, config.Jobs[0].Targets[0].Labels, "cluster")
	require.Contains(t, config.Jobs[0].Targets[0].Targets, environment(t)["BULLY_HTTP"], "bully.env has the node serve where it is scraped, and checked by HAProxy")
}
