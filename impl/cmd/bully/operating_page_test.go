//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// The page impl/OPERATING.md is run by the tests beside this file: each does to a cluster of real processes what a section is about, and
// then what the section says, command by command. What a command is to say and how it is to exit stands in its comment, on the page.

// office is where no node is.
const office = "office"

// hosts are machines with a node each, as the page knows them: folders of this machine, and addresses of it.
type hosts struct {
	t       testing.TB
	root    string
	all     []string          // the machines that "at all nodes" means
	real    map[string]string // addresses, by those of the page
	service map[string]*process
	log     map[string]*output // of all lives of a node
	also    []string           // flags of all nodes besides
}

// newHosts returns machines of these ids, with certificates of cluster jobs. Nothing runs.
func newHosts(t testing.TB, ids ...string) *hosts {
	t.Helper()
	h := &hosts{t: t, root: t.TempDir(), all: ids, real: map[string]string{}, service: map[string]*process{}, log: map[string]*output{}}
	for _, at := range append([]string{office}, ids...) {
		h.machine(at)
	}
	made(t, "ca", "-dir", h.path(office, "ca"))
	for _, id := range ids {
		h.certify(id, id)
	}
	return h
}

// machine makes a machine with the program.
func (h *hosts) machine(at string) {
	for _, folder := range []string{"home", "etc/bully", "var/lib/bully", "usr/local/bin"} {
		require.NoError(h.t, os.MkdirAll(filepath.Join(h.root, at, folder), 0o700))
	}
	h.log[at] = &output{}
	h.script(at, "usr/local/bin/bully", fmt.Sprintf("%s=1 exec '%s' \"$@\"", asCommand, os.Args[0]))
	h.script(at, "home/bully.new", fmt.Sprintf("touch '%s/new'\n%s=1 exec '%s' \"$@\"", filepath.Join(h.root, at), asCommand, os.Args[0]))
	h.script(at, "usr/local/bin/scp", `for last; do :; done
host=${last%%:*}
while [ $# -gt 1 ]; do cp "$1" "`+h.root+`/${host#node}/${last#*:}" || exit; shift; done`)
}

// script writes a program of the shell.
func (h *hosts) script(at, name, text string) {
	require.NoError(h.t, os.WriteFile(filepath.Join(h.root, at, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700))
}

// certify gives a machine the certificate of a node.
func (h *hosts) certify(at, id string) {
	h.t.Helper()
	made(h.t, "node", "-ca", h.path(office, "ca"), "-cluster", "jobs", "-id", id, "-dir", h.path(office, "node-"+id), "-renew")
	for _, name := range []string{"node.crt", "node.key", "ca.crt"} {
		text, err := os.ReadFile(h.path(office, "node-"+id+"/"+name))
		require.NoError(h.t, err)
		require.NoError(h.t, os.WriteFile(filepath.Join(h.root, at, "etc/bully", name), text, 0o600))
	}
}

// path returns where a file of the home of a machine is.
func (h *hosts) path(at, name string) string { return filepath.Join(h.root, at, "home", name) }

// data returns the data folder of a machine.
func (h *hosts) data(at string) string { return filepath.Join(h.root, at, "var/lib/bully") }

// settle writes the flags of the nodes. Members are fixed if any are named.
func (h *hosts) settle(members ...string) {
	for _, id := range h.all {
		etc := filepath.Join(h.root, id, "etc/bully")
		lines := []string{
			"BULLY_DATA=" + h.data(id), "BULLY_HTTP=" + h.at("10.0.0."+id+":8000"), "BULLY_PROFILE=" + steady[1], "BULLY_PREEMPT=now",
			"BULLY_TLS_CERT=" + etc + "/node.crt", "BULLY_TLS_KEY=" + etc + "/node.key", "BULLY_TLS_CA=" + etc + "/ca.crt",
		}
		if len(members) > 0 {
			var list []string
			for _, m := range members {
				list = append(list, m+"="+h.at("10.0.0."+m+":7000"))
			}
			lines = append(lines, "BULLY_ID="+id, "BULLY_CLUSTER=jobs", "BULLY_MEMBERS="+strings.Join(list, ","))
		}
		lines = append(lines, h.also...)
		require.NoError(h.t, os.WriteFile(filepath.Join(etc, "bully.env"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
}

// fixed makes a cluster of three whose members are fixed, and runs it.
func fixed(t testing.TB) *hosts {
	t.Helper()
	h := newHosts(t, "1", "2", "3")
	h.settle("1", "2", "3")
	h.startAll()
	return h
}

// changing makes a cluster of three whose members change, and runs it.
func changing(t testing.TB, also ...string) *hosts {
	t.Helper()
	h := newHosts(t, "1", "2", "3")
	h.also = also
	h.settle()
	for _, id := range h.all {
		h.run(id, `bully init -data /var/lib/bully -cluster jobs -id $ID -members $MEMBERS $TLS`)
	}
	h.startAll()
	return h
}

// startAll starts all nodes, and waits until all agree.
func (h *hosts) startAll() {
	h.t.Helper()
	for _, id := range h.all {
		h.serve(id, "start")
	}
	h.agree()
}

// agree waits until all nodes follow one leader, and returns its epoch.
func (h *hosts) agree() (epoch uint64) {
	h.t.Helper()
	var args []string
	for _, id := range h.all {
		args = append(args, h.at("10.0.0."+id+":8000"))
	}
	until(h.t, "all agree", func() bool {
		status, _, _ := bully(h.t, append([]string{"status"}, args...)...)
		return status == 0
	})
	return leads(h.t, args[0])
}

// addresses are what the page calls addresses.
var addresses = regexp.MustCompile(`\b10\.0\.\d\.\d:\d+\b`)

// at returns the address of this machine for one of the page.
func (h *hosts) at(address string) string {
	if h.real[address] == "" {
		h.real[address] = freeAddress(h.t)
	}
	return h.real[address]
}

// disks are what the page calls the number of a disk.
var disks = regexp.MustCompile(`=10\.0\.\d\.(\d):7000#…`)

// folders are those of the page.
var folders = regexp.MustCompile(`(^|[\s"=>])(/etc/bully|/var/lib/bully|/usr/local/bin)\b`)

// outside is a folder of this machine itself, which no command of the page may touch.
var outside = regexp.MustCompile(`(^|[^\w:/])/(etc|opt|usr|var)\b`)

// here returns a command of the page as it is run on a machine.
func (h *hosts) here(at, command string) string {
	command = disks.ReplaceAllStringFunc(command, func(found string) string {
		of := disks.FindStringSubmatch(found)[1]
		var out string
		until(h.t, "bully repair reads the record of node "+of+", which may just begin", func() bool {
			status, said, _ := bully(h.t, "repair", "-data", h.data(of))
			out = said
			return status == 0
		})
		disk := regexp.MustCompile(`incarnation ([0-9a-f]{16})`).FindStringSubmatch(out)
		require.NotNil(h.t, disk, "bully repair names the disk of node %s: %s", of, out)
		return strings.TrimSuffix(found, "…") + disk[1]
	})
	command = addresses.ReplaceAllStringFunc(command, h.at)
	command = folders.ReplaceAllString(command, "${1}"+filepath.Join(h.root, at)+"${2}")
	require.NotRegexp(h.t, outside, strings.ReplaceAll(command, h.root, ""))
	return strings.Replace(command, "-for 1h", "-for 300ms", 1)
}

// variables returns the first block of the page, on a machine.
func (h *hosts) variables(at string) string {
	return strings.Replace(h.here(at, strings.Join(page(h.t)[0].lines, "\n")), "ID=1", "ID="+at, 1) + "\n"
}

// run runs a command on a machine, and asks its outcome of it.
func (h *hosts) run(at, line string) {
	h.t.Helper()
	command, _, _ := strings.Cut(line, " #")
	wants := wantsOf(line)
	fields := strings.Fields(command)
	again := fields[0] == "journalctl" || strings.HasPrefix(command, "bully status") || strings.HasPrefix(command, "bully member list")
	pause := 50 * time.Millisecond
	for late := time.Now().Add(proctest.Patience); ; time.Sleep(pause) { // it is asked again until it has come to that
		pause = min(pause*3/2, time.Second/2)
		status, out := h.once(at, command, fields)
		if wants.met(status, out, h.here(at, wants.text)) {
			return
		}
		if !again || time.Now().After(late) {
			require.FailNow(h.t, "the page is wrong", "at %s: %s\nexits with %d, and says:\n%s", at, line, status, out)
		}
	}
}

// once runs a command once.
func (h *hosts) once(at, command string, fields []string) (status int, out string) {
	switch fields[0] {
	case "systemctl":
		require.Equal(h.t, "bully", fields[2], command)
		h.serve(at, fields[1])
		return 0, ""
	case "journalctl":
		require.Equal(h.t, []string{"-u", "bully"}, fields[1:])
		return 0, h.log[at].String()
	}
	shell := exec.Command("sh", "-c", h.variables(at)+h.here(at, command))
	shell.Dir = h.path(at, "")
	shell.Env = append(os.Environ(), "PATH="+filepath.Join(h.root, at, "usr/local/bin")+":"+os.Getenv("PATH"))
	text, err := shell.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		require.NoError(h.t, err)
	}
	return shell.ProcessState.ExitCode(), string(text)
}

// serve does to the service of a machine what systemctl would.
func (h *hosts) serve(at, verb string) {
	h.t.Helper()
	running := h.service[at]
	switch verb {
	case "reload-or-restart":
		if running != nil && running.cmd.ProcessState == nil {
			running.signal(syscall.SIGHUP)
			return
		}
	case "stop", "restart":
		if running != nil {
			_ = running.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
			running.wait()
		}
	case "start":
	default:
		require.FailNow(h.t, "systemctl cannot "+verb)
	}
	if verb == "stop" {
		return
	}
	env, err := os.ReadFile(filepath.Join(h.root, at, "etc/bully/bully.env"))
	require.NoError(h.t, err)
	p := newProcess(h.t, exec.Command(filepath.Join(h.root, at, "usr/local/bin/bully"), "run"))
	p.cmd.Env = append(os.Environ(), strings.Fields(string(env))...)
	p.log, p.out, p.cmd.Stdout, p.cmd.Stderr = h.log[at], h.log[at], h.log[at], h.log[at]
	h.service[at] = p.start()
}

// kill ends the node of a machine as a loss of power does.
func (h *hosts) kill(at string) {
	h.t.Helper()
	require.NoError(h.t, h.service[at].cmd.Process.Kill())
	h.service[at].wait()
}

// place is a comment that says where the commands after it are run.
var place = regexp.MustCompile(`^# (?:at node (\d)(?:, and then at node (\d))?|at (each) node, one after the other|at (all) nodes|at (any) machine|where no node (is))$`)

// follow does what a section of the page says.
func (h *hosts) follow(heading string) {
	h.t.Helper()
	for i := range of(h.t, heading) {
		h.followBlock(heading, i)
	}
}

// followBlock does what one block of a section says.
func (h *hosts) followBlock(heading string, i int) {
	h.t.Helper()
	lines := of(h.t, heading)[i].lines
	for len(lines) > 0 {
		where := place.FindStringSubmatch(lines[0])
		require.NotNil(h.t, where, "%q does not say where it is run", lines[0])
		n := 1
		for n < len(lines) && !place.MatchString(lines[n]) {
			n++
		}
		require.Greater(h.t, n, 1, "nothing is run after %q", lines[0])
		h.group(where, lines[1:n])
		lines = lines[n:]
	}
}

// group runs commands where they are to be run.
func (h *hosts) group(where, lines []string) {
	h.t.Helper()
	switch each, all := where[2] != "" || where[3] != "", where[4] != ""; {
	case each:
		every := h.all
		if where[2] != "" {
			every = where[1:3]
		}
		for _, at := range every {
			for _, line := range lines {
				h.run(at, line)
			}
		}
	case all:
		for _, line := range lines {
			for _, at := range h.all {
				h.run(at, line)
			}
		}
	default:
		at := where[1]
		if where[5] != "" { // any
			at = h.all[0]
		} else if where[6] != "" {
			at = office
		}
		for _, line := range lines {
			h.run(at, line)
		}
	}
}
