package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// heading says of a record what was run, when, on what, and beside what.
type heading struct {
	Command string `json:"command"`
	Date    string `json:"date"`
	Beside  string `json:"beside,omitempty"` // "beside other work", or nothing
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Cores   int    `json:"cores"`
	Go      string `json:"go"`
}

// String says it in words.
func (h heading) String() string {
	text := fmt.Sprintf("`%s`, %s, %d cores, %s/%s, %s", h.Command, h.Date, h.Cores, h.OS, h.Arch, h.Go)
	if h.Beside != "" {
		text += ", " + h.Beside
	}
	return text
}

// record is a file: a heading, and what one of the commands has said in JSON. It has fields for what the page needs of that.
type record struct {
	heading
	Failovers []failover `json:"failovers"` // workbench bench failover
	Idle      []struct {
		Program string `json:"program"`
		Nodes   []struct {
			Leading  bool    `json:"leading"`
			CPU      float64 `json:"cpu"`      // of one core
			Resident int64   `json:"resident"` // bytes
			Private  int64   `json:"private"`  // of these, of no file
		} `json:"nodes"`
	} `json:"idle"` // workbench bench idle
	Guarded []struct {
		Profile string  `json:"profile"`
		Minutes float64 `json:"minutes"`
		Kills   int     `json:"kills"`
		HeldUp  uint64  `json:"held_up"`
	} `json:"guarded"` // workbench bench guard
	Groups     []manyGroups `json:"groups"` // workbench bench groups
	TLC        explored     `json:"tlc"`    // tla/check -bench
	Explorer   explored     `json:"explorer"`
	Benchmarks []benchmark  `json:"benchmarks"`        // go test -bench
	Rate       float64      `json:"events_per_second"` // tla/check -traces
	Seconds    float64      `json:"seconds"`           // make test
}

// failover is what a fault of the leader has cost a program, on so many nodes.
type failover struct {
	Program  string  `json:"program"`
	Nodes    int     `json:"nodes"`
	Fault    string  `json:"fault"`
	Rounds   int     `json:"rounds"`
	Median   float64 `json:"median_ms"`
	Max      float64 `json:"max_ms"` // 0 if nobody has written it down
	Messages float64 `json:"messages"`
	Floor    float64 `json:"floor_ms"`    // what a failover cannot do without, 0 if that was not measured, and of that
	Teardown float64 `json:"teardown_ms"` // the end of the process
}

// manyGroups is what many groups over one cluster have cost a program.
type manyGroups struct {
	Program   string  `json:"program"`
	Members   string  `json:"members"`
	Profile   string  `json:"profile"`
	Nodes     int     `json:"nodes"`
	Groups    int     `json:"groups"`
	Cold      float64 `json:"cold_s"`
	Spread    float64 `json:"spread"` // the largest difference from an even share, in parts of it
	CPU       float64 `json:"cpu"`    // of one core, of the node that takes most
	Resident  float64 `json:"resident"`
	Frames    float64 `json:"frames"`        // a second, of a node; 0 if it does not count them
	FramesOne float64 `json:"frames_of_one"` // … if each node led one group
	Kills     []struct {
		Led   int     `json:"led"`
		First float64 `json:"first_ms"`
		All   float64 `json:"all_ms"`
		Saves float64 `json:"saves"` // 0 if it does not count them
	} `json:"kills"`
	Added *struct {
		Has   float64 `json:"has_s"`
		Led   float64 `json:"led_s"`
		Moved int     `json:"moved"`
	} `json:"added"`
	Stuck string `json:"stuck"` // what it did not do in time, with which its measurement ended
}

type explored struct {
	Rate  float64 `json:"states_per_second"`
	Bytes int64   `json:"bytes"`
}

// benchmark is a benchmark of Go, and what it has said in one unit.
type benchmark struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"`
}

// names are those of all records: a page needs each but those of groups, and make figures measures all but beside-version-1, and falsekills, which make bench-guard does.
var names = []string{"ballast", "benchmarks", "beside-version-1", "check", "check-small-heap", "failover", "falsekills", "faults", "groups", "groups-beside", "idle", "services", "test", "traces"}

// recordOf returns the record of a name, as it is kept, from what a command has said: JSON, or what go test -bench prints.
func recordOf(name string, in io.Reader, h heading) ([]byte, error) {
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("-keep %s: there is no such record: there are %s", name, strings.Join(names, ", "))
	}
	said, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if name == "benchmarks" {
		if said, err = benchmarksOf(said); err != nil {
			return nil, err
		}
	}
	h.OS, h.Arch, h.Cores, h.Go = runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()
	// What the page does not need is kept too, such as each single time.
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(said, &all); err != nil {
		return nil, fmt.Errorf("-keep %s: what was measured is not a JSON object: %w", name, err)
	}
	head, err := json.Marshal(h)
	if err == nil {
		err = json.Unmarshal(head, &all)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(all, "", "  ")
	return append(text, '\n'), err
}

// benchmarksOf returns as JSON what go test -bench has printed.
func benchmarksOf(printed []byte) ([]byte, error) {
	var all []benchmark
	lines := bufio.NewScanner(bytes.NewReader(printed))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(words); i += 2 {
			value, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, fmt.Errorf("a benchmark says %q: %w", lines.Text(), err)
			}
			all = append(all, benchmark{words[0], words[i+1], []float64{value}})
		}
	}
	if len(all) == 0 {
		return nil, errors.Join(errors.New("no line is of a benchmark"), lines.Err())
	}
	return json.Marshal(map[string]any{"benchmarks": all})
}

// read returns all records, by name.
func read(files fs.FS) (map[string]*record, error) {
	all := map[string]*record{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name+".json")
		if strings.HasPrefix(name, "groups") && errors.Is(err, fs.ErrNotExist) {
			continue // what has not been measured yet: the page does without
		}
		if err != nil {
			return nil, err
		}
		if all[name], err = parse(name, text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// parse reads a record. One that says nothing of what its page needs is an error: it would be a table without rows.
func parse(name string, text []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s/%s.json: %w", folder, name, err)
	}
	if r.Command == "" || r.Date == "" || r.Cores == 0 {
		return nil, fmt.Errorf("%s/%s.json: command, date and cores must say what was measured, when and on what", folder, name)
	}
	if len(r.Failovers)+len(r.Idle)+len(r.Guarded)+len(r.Benchmarks)+len(r.Groups) == 0 && r.TLC.Bytes == 0 && r.Rate+r.Seconds == 0 {
		return nil, fmt.Errorf("%s/%s.json: nothing was measured", folder, name)
	}
	return r, nil
}
