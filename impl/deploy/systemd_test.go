package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unitKeys are those of bully.service, as systemd.unit, systemd.service, systemd.exec and systemd.resource-control have them: where there is no
// systemd to ask, a slip of the pen shows here.
var unitKeys = strings.Fields(`Description After Wants StartLimitIntervalSec StartLimitBurst
Type NotifyAccess User Group EnvironmentFile ExecStart ExecReload TimeoutStopSec Restart RestartSec RestartPreventExitStatus StateDirectory StateDirectoryMode
LimitNOFILE CPUWeight OOMScoreAdjust UMask CapabilityBoundingSet AmbientCapabilities NoNewPrivileges DevicePolicy PrivateDevices PrivateTmp
ProtectSystem ProtectHome ProtectClock ProtectControlGroups ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables
ProtectProc ProcSubset LockPersonality MemoryDenyWriteExecute RemoveIPC RestrictAddressFamilies RestrictNamespaces RestrictRealtime
RestrictSUIDSGID SystemCallArchitectures SystemCallFilter SystemCallErrorNumber WantedBy`)

// settings reads lines of key=value, as systemd does in units and in files of environments.
func settings(t *testing.T, file string) (keys []string, values map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	values = map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' || line[0] == '[' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		require.True(t, ok, "%s: %s", file, line)
		keys, values[key] = append(keys, key), value
	}
	return keys, values
}

func TestUnit(t *testing.T) {
	keys, values := settings(t, "bully.service")
	for _, key := range keys {
		require.Contains(t, unitKeys, key)
	}
	require.Equal(t, "/usr/local/bin/bully run", values["ExecStart"])
	require.Equal(t, "notify all", values["Type"]+" "+values["NotifyAccess"], "the node is a child of its guard, if it has one")
	require.Contains(t, strings.Fields(values["RestrictAddressFamilies"]), "AF_UNIX", "by which it tells systemd")
	require.Equal(t, "/var/lib/"+values["StateDirectory"], environment(t)["BULLY_DATA"])
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd: without it only the keys are checked")
	}
	unit := filepath.Join(t.TempDir(), "bully.service")
	text, err := os.ReadFile("bully.service")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/bully", binary)), 0o600))
	out, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
	out, err = exec.Command(analyze, "security", "--offline=true", "--threshold=16", "--no-pager", unit).CombinedOutput()
	require.NoError(t, err, "it is exposed more than 1.6 of 10, of which AF_UNIX is 0.1:\n%s", out)
}

// environment reads bully.env.
func environment(t *testing.T) map[string]string {
	t.Helper()
	_, values := settings(t, "bully.env")
	return values
}

// TestEnvironment runs a node with bully.env, but for places and addresses that are this test's.
func TestEnvironment(t *testing.T) {
	values := environment(t)
	flags := certificates(t, 3)(3)
	id := values["BULLY_ID"]
	require.Equal(t, "3", id)
	require.Equal(t, "jobs", values["BULLY_CLUSTER"])
	help := command(t, "help", "run")
	for name := range values {
		flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "BULLY_")), "_", "-")
		require.Regexp(t, "(?m)^  -"+flag+" ", help, name)
	}
	values["BULLY_MEMBERS"] = regexp.MustCompile(`\d=10\.0\.0\.\d:7000`).ReplaceAllStringFunc(values["BULLY_MEMBERS"], func(pair string) string {
		return pair[:2] + reserve(t)
	})
	values["BULLY_HTTP"], values["BULLY_DATA"] = reserve(t), t.TempDir()
	values["BULLY_TLS_CERT"], values["BULLY_TLS_KEY"], values["BULLY_TLS_CA"] = flags[1], flags[3], flags[5]
	node := exec.CommandContext(t.Context(), binary, strings.Fields("run")...)
	for name, value := range values {
		node.Env = append(node.Env, name+"="+value)
	}
	runs(t, node, values["BULLY_HTTP"], func() {})
}

// TestSysusers: there is a user whom the unit names.
func TestSysusers(t *testing.T) {
	_, values := settings(t, "bully.service")
	text, err := os.ReadFile("bully.sysusers")
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(line, "u "+values["User"]+" ") }), "the file must declare user %s of the unit", values["User"])
	sysusers, err := exec.LookPath("systemd-sysusers")
	if err != nil {
		t.Skip("needs systemd: it makes users of that file")
	}
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "etc"), 0o755))
	file, err := filepath.Abs("bully.sysusers")
	require.NoError(t, err)
	out, err := exec.Command(sysusers, "--root="+root, "--replace=/usr/lib/sysusers.d/bully.conf", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	made, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^bully:.*:/var/lib/bully:.*nologin$`, string(made))
}
