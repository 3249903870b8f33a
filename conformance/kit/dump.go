package kit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// dump writes all requests of a case that has failed to a file of a directory, so that they can be piped into a port, and replayed. It says
// in the verdict where they are.
func (a *attempt) dump(dir string) error {
	if len(a.requests) == 0 {
		return nil // it has not come so far
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":1,"op":"hello","protocol":%d,"kit":%q,"spec":%q}`+"\n", port.Version, Version, Spec)
	if !strings.Contains(a.requests[0], `"op":"reset"`) {
		fmt.Fprintf(&b, `{"id":2,"op":"reset","case":%q}`+"\n", a.Case)
	}
	for _, request := range a.requests {
		b.WriteString(request + "\n")
	}
	name := filepath.Join(dir, a.Case+".requests")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("the requests are not kept: %w", err)
	}
	a.Dump = name
	return nil
}
