package deploy

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// instruction is a line of a Dockerfile.
type instruction struct{ word, rest string }

// stages reads the Dockerfile: what is built, and what becomes the image.
func stages() (building, image []instruction, err error) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		return nil, nil, err
	}
	var all [][]instruction
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "FROM" {
			all = append(all, nil)
		}
		if len(all) == 0 {
			return nil, nil, fmt.Errorf("%s is before FROM", line)
		}
		all[len(all)-1] = append(all[len(all)-1], instruction{word, rest})
	}
	if len(all) != 2 {
		return nil, nil, fmt.Errorf("the Dockerfile has %d stages, not 2", len(all))
	}
	return all[0], all[1], nil
}

// build does what the Dockerfile does to build the command, and puts it elsewhere.
func build(to string) error {
	building, _, err := stages()
	if err != nil {
		return err
	}
	for _, i := range building {
		if i.word == "RUN" && strings.Contains(i.rest, "go build") {
			cmd := exec.Command("sh", "-c", strings.ReplaceAll(i.rest, "/root/bully", to))
			cmd.Dir = "../.."
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", i.rest, err, out)
			}
			return nil
		}
	}
	return errors.New("the Dockerfile builds nothing")
}

// bare is an image without an engine: a folder with nothing in it but what the image has.
type bare struct {
	root       string
	user       int
	env        []string
	entrypoint []string
}

// unpack makes the folder as the second stage of the Dockerfile says. It knows only what is in there.
func unpack(t *testing.T) (b bare) {
	t.Helper()
	_, image, err := stages()
	require.NoError(t, err)
	b.root = t.TempDir()
	require.NoError(t, os.Chmod(b.root, 0o755))
	for i := b.root; i != os.TempDir() && i != "/"; i = filepath.Dir(i) {
		require.NoError(t, os.Chmod(i, 0o755)) // who runs is nobody whom this machine knows
	}
	for _, i := range image {
		words := strings.Fields(i.rest)
		switch i.word {
		case "FROM":
			require.Equal(t, "scratch", i.rest)
		case "COPY":
			require.Equal(t, "--from=build", words[0])
			to := filepath.Join(b.root, words[len(words)-1])
			switch from := words[len(words)-2]; from {
			case "/root/bully":
				program, err := os.ReadFile(binary)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(to, program, 0o755))
			case "/root/data":
				require.NoError(t, os.MkdirAll(to, 0o755))
				require.NoError(t, os.Chown(to, 65532, 65532))
				require.Equal(t, "--chown=65532:65532", words[1])
			default:
				require.Fail(t, "the build makes no "+from)
			}
		case "USER":
			id, _, _ := strings.Cut(i.rest, ":")
			b.user, err = strconv.Atoi(id)
			require.NoError(t, err)
		case "ENV":
			b.env = append(b.env, i.rest)
		case "ENTRYPOINT", "CMD":
			b.entrypoint = append(b.entrypoint, strings.FieldsFunc(i.rest, func(r rune) bool { return strings.ContainsRune(`[]", `, r) })...)
		case "VOLUME", "EXPOSE":
		default:
			require.Fail(t, "what does "+i.word+" do here?")
		}
	}
	return b
}

// TestImage runs a node in a root folder that has the command and nothing else: no shell, no library, no user, no /tmp.
func TestImage(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("needs root: on Linux, for another root folder")
	}
	b := unpack(t)
	address := reserve(t)
	flags := []string{"-id", "1", "-cluster", "jobs", "-members", "1=" + reserve(t), "-http", address}
	node := exec.CommandContext(t.Context(), b.entrypoint[0], append(b.entrypoint[1:], flags...)...)
	node.Path, node.Dir, node.Env = b.entrypoint[0], "/", b.env
	node.SysProcAttr = rooted(b.root, b.user)
	node.Err = nil
	runs(t, node, address, func() {})
	_, err := os.Stat(filepath.Join(b.root, "var/lib/bully/record"))
	require.NoError(t, err, "its promises are where the volume is")
}

// TestEngine builds the image with a container engine, if there is one, and asks it for its version.
func TestEngine(t *testing.T) {
	engine := ""
	for _, name := range []string{"docker", "podman"} {
		if exec.Command(name, "info").Run() == nil {
			engine = name
		}
	}
	if engine == "" {
		t.Skip("needs containers: TestImage does the steps of the engine")
	}
	if out, err := exec.Command(engine, "pull", "golang:1.26").CombinedOutput(); err != nil {
		t.Skipf("needs containers: the engine reaches no registry: %s", out)
	}
	out, err := exec.Command(engine, "build", "-q", "-f", "Dockerfile", "../..").Output()
	require.NoError(t, err)
	out, err = exec.Command(engine, "run", "--rm", strings.TrimSpace(string(out)), "version").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "built with go")
}

// TestImageLists: what the image opens is where Kubernetes looks.
func TestImageLists(t *testing.T) {
	_, image, err := stages()
	require.NoError(t, err)
	said := map[string]string{}
	for _, i := range image {
		said[i.word] = i.rest
	}
	m := readManifests(t)
	require.Equal(t, "7000 8000", said["EXPOSE"])
	require.Equal(t, fmt.Sprintf("%d:%d", *m.set.Spec.Template.Spec.SecurityContext.RunAsUser, *m.set.Spec.Template.Spec.SecurityContext.RunAsGroup), said["USER"])
	_, _, err = net.SplitHostPort(flagsOf(t, m.set.Spec.Template.Spec.Containers[0].Args)["http"])
	require.NoError(t, err)
}
