package traces

import (
	_ "embed" // for the page
	"strconv"
	"strings"
	"sync"
)

// page is what there is to watch in each trace, for people.
//
//go:embed README.md
var page string

// Entry is a row of the table of valid traces in README.md, in JSON as the viewer's page has it.
type Entry struct {
	Name   string `json:"name"` // of the file, without .ndjson
	Nodes  int    `json:"nodes"`
	Events int    `json:"events"`
	Watch  string `json:"watch"` // what there is to see: a sentence or two
}

// Table returns what README.md says of the traces of Valid, in the order in which to read them.
func Table() []Entry { return table() }

var table = sync.OnceValue(func() (all []Entry) {
	_, rows, _ := strings.Cut(page, "<!-- valid:begin -->")
	rows, _, _ = strings.Cut(rows, "<!-- valid:end -->")
	for row := range strings.Lines(rows) {
		cells := strings.SplitN(strings.TrimSpace(row), "|", 5)
		if len(cells) < 5 || !strings.HasPrefix(cells[1], " [") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(cells[1], " ["), "]")
		nodes, _ := strconv.Atoi(strings.TrimSpace(cells[2]))
		events, _ := strconv.Atoi(strings.TrimSpace(cells[3]))
		all = append(all, Entry{Name: name, Nodes: nodes, Events: events, Watch: strings.Trim(cells[4], " |")})
	}
	return all
})
