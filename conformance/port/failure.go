package port

import (
	"fmt"
	"strings"
)

// Kind says in which way a port has failed.
type Kind string

const (
	Wrong    Kind = "wrong"    // it answered what no rule allows
	Nonsense Kind = "nonsense" // its answer is no reply
	Died     Kind = "died"     // it ended
	Hung     Kind = "hung"     // it did not answer in time
	Flooded  Kind = "flooded"  // it wrote more than one reply may be long
	Erred    Kind = "error"    // it says itself that it has failed
	Missing  Kind = "missing"  // it says that it does not support what must be supported
)

// Failure is what a port has done wrong.
type Failure struct {
	Kind     Kind
	Rule     string   // of spec/README.md, such as R17; "" if it is about the protocol
	Problem  string   // what is wrong, and what would be right
	Request  string   // the line that it was asked
	Reply    string   // the line that it answered, as far as it is there
	Last     []string // the requests before that, the last one last
	Standard string   // the end of what it wrote to its standard error
	Written  uint64   // how many bytes that was
}

// Error says what went wrong, and at which request.
func (f *Failure) Error() string {
	var b strings.Builder
	if f.Rule != "" {
		fmt.Fprintf(&b, "%s: ", f.Rule)
	}
	b.WriteString(f.Problem)
	if f.Request != "" {
		fmt.Fprintf(&b, "\n  request  %s", short(f.Request))
	}
	if f.Reply != "" {
		fmt.Fprintf(&b, "\n  reply    %s", short(f.Reply))
	}
	if f.Standard != "" {
		fmt.Fprintf(&b, "\n  stderr   %s", strings.ReplaceAll(f.Standard, "\n", "\n           "))
	}
	return b.String()
}

// Guard calls what uses nodes or subjects of a port, and returns the failure with which they have panicked, if they have.
func Guard(use func()) (failure *Failure) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Failure:
			failure = p
		default:
			panic(p)
		}
	}()
	use()
	return nil
}
