package child

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cgroup is the folder of a control group (version 2) that one process and its descendants are in, or "" if there is none. The kernel
// ends all that is in it, whoever's it is.
type cgroup string

// newCgroup makes a control group of a name below that of this process, or returns none if it cannot.
func newCgroup(name string) cgroup {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	folder := folderOf(string(mounts), string(own))
	if folder == "" {
		return ""
	}
	c := cgroup(filepath.Join(folder, name))
	if os.Mkdir(string(c), 0o755) != nil {
		return ""
	}
	if _, err := os.Stat(c.killer()); err != nil { // before Linux 5.14
		c.remove()
		return ""
	}
	return c
}

// folderOf returns where the control group of this process is, by what the kernel says of mounts and of the process.
func folderOf(mounts, own string) string {
	path, found := "", false
	for line := range strings.Lines(own) {
		if rest, is := strings.CutPrefix(line, "0::"); is {
			path, found = strings.TrimSuffix(rest, "\n"), true
		}
	}
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !found || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		if below, is := strings.CutPrefix(path, strings.TrimSuffix(fields[3], "/")); is {
			return filepath.Join(fields[4], below)
		}
	}
	return ""
}

func (c cgroup) killer() string { return filepath.Join(string(c), "cgroup.kill") }

// open opens the folder, for a process to be started in it.
func (c cgroup) open() (*os.File, error) {
	if c == "" {
		return nil, os.ErrNotExist
	}
	return os.Open(string(c))
}

// kill ends all that is in it.
func (c cgroup) kill() {
	if c != "" {
		_ = os.WriteFile(c.killer(), []byte("1"), 0) // whoever may not do this ends them one by one
	}
}

// removePatience is how long the kernel may take to notice that a group is empty.
const removePatience = time.Second

// remove removes the group, whose processes have ended.
func (c cgroup) remove() {
	for begin := time.Now(); c != "" && os.Remove(string(c)) != nil && time.Since(begin) < removePatience; {
		if _, err := os.Stat(string(c)); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
