package port

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// parseReply reads a line. The error says what of it is wrong, and what would be right.
func parseReply(line []byte, to *Request) (*Reply, error) {
	var reply Reply
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&reply)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	if err != nil || reply.ID != to.ID {
		return nil, fmt.Errorf("this is no reply: %w", misformed(line, to, err))
	}
	if problem := misspelt(line); problem != "" {
		return nil, fmt.Errorf("this is no reply: %s", problem)
	}
	return &reply, reply.fits(to)
}

// misformed says what is wrong with a line that is no reply to a request: first of all that it is no JSON, then its id, then the
// first of its fields that cannot be read. The error is the one that the whole line has given.
func misformed(line []byte, to *Request, err error) error {
	if !json.Valid(line) {
		return errors.New("a reply is one JSON object a line, and this is no JSON. Standard output is for replies; log to standard error")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || fields == nil {
		return fmt.Errorf("a reply is a JSON object, and this is %s", kindOfJSON(line))
	}
	id, there := fields["id"]
	switch {
	case !there:
		return fmt.Errorf("id must be the integer %d, as in the request, and is missing", to.ID)
	case string(id) != fmt.Sprint(to.ID):
		hint := ""
		if id[0] >= '0' && id[0] <= '9' {
			hint = ": replies come in the order of requests, one to each"
		}
		return fmt.Errorf("id must be the integer %d, as in the request, and is %s%s", to.ID, kindOfJSON(id), hint)
	}
	all := readers()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if read := all[name]; read == nil {
			return fmt.Errorf("a reply has no field %q", name)
		} else if problem := read(fields[name]); problem != nil && string(fields[name]) != "null" {
			return problem
		}
	}
	return err
}

// readers say of each field of a reply what is wrong with it.
func readers() map[string]func(raw json.RawMessage) error {
	into := func(name string, value any, must string) func(json.RawMessage) error {
		return func(raw json.RawMessage) error {
			if json.Unmarshal(raw, value) == nil {
				return nil
			}
			return fmt.Errorf("%s must be %s, and is %s", name, must, kindOfJSON(raw))
		}
	}
	return map[string]func(json.RawMessage) error{
		"id": func(json.RawMessage) error { return nil }, // it has been looked at
		"port": func(raw json.RawMessage) error {
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.DisallowUnknownFields()
			if decoder.Decode(&Identity{}) == nil {
				return nil
			}
			return errors.New(`port must be an object of the strings "name", "version" and "language", and nothing else`)
		},
		"protocol":    into("protocol", new(int), "the integer 1"),
		"features":    into("features", new([]string), "a list of strings"),
		"state":       func(raw json.RawMessage) error { return misstated("state", raw, &spec.State{}) },
		"effects":     misdone,
		"ignored":     into("ignored", new(string), "a string that says why"),
		"admitted":    into("admitted", new(bool), "true or false"),
		"highest":     into("highest", new(spec.Epoch), "an epoch, from 0 to 2^53-1"),
		"value":       into("value", new(string), "a string"),
		"ok":          into("ok", new(bool), "true"),
		"unsupported": into("unsupported", new(string), "a string that says why"),
		"error":       into("error", new(string), "a string that says why"),
	}
}

// misstated says where in a value something is wrong, such as state.leader.
func misstated(where string, raw json.RawMessage, value any) error {
	err := json.Unmarshal(raw, value)
	if err == nil {
		return nil
	}
	var field *json.UnmarshalTypeError
	if errors.As(err, &field) {
		return fmt.Errorf("%s is %s, and cannot be", strings.TrimSuffix(where+"."+field.Field, "."), kindOfJSON(raw))
	}
	return fmt.Errorf("%s.%w", where, err)
}

// misdone says what is wrong with a list of effects.
func misdone(raw json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return fmt.Errorf("effects must be a list, and is %s", kindOfJSON(raw))
	}
	for k, one := range list {
		err := json.Unmarshal(one, &Effect{})
		if err == nil {
			continue
		}
		where := fmt.Sprintf("effects[%d]", k)
		var fields map[string]json.RawMessage
		if json.Unmarshal(one, &fields) == nil {
			parts := map[string]any{"save": &spec.Durable{}, "over": new(spec.Epoch), "send": &spec.Message{}, "tell": &Leadership{}}
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				if value := parts[name]; value != nil {
					err = cmp.Or(misstated(where+"."+name, fields[name], value), err)
				}
			}
		}
		if !strings.HasPrefix(err.Error(), where) {
			err = fmt.Errorf("%s: %w", where, err)
		}
		return err
	}
	return nil
}

// kindOfJSON says what a JSON value is, and what it says if that is short.
func kindOfJSON(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "the string " + short(raw)
	}
	return short(raw)
}

// fits says what a reply misses for what was asked.
func (r *Reply) fits(to *Request) error {
	switch {
	case r.Error != "" || r.Unsupported != "":
		return nil
	case to.Op == Hello:
		if r.Port == nil || r.Port.Name == "" || r.Protocol != Version {
			return fmt.Errorf(`to "hello" it must say "port", with a name, and "protocol":%d`, Version)
		}
		return featured(r.Features)
	case to.Op == Write:
		if r.Admitted == nil || r.Highest == nil {
			return fmt.Errorf(`to "write" it must say "admitted", true or false, and "highest"`)
		}
	case to.Op == Read:
		if r.Value == nil || r.Highest == nil {
			return fmt.Errorf(`to "read" it must say "value" and "highest"`)
		}
	case to.Op == Reset, to.Op == Crash, to.Op == Bye:
		if !r.OK {
			return fmt.Errorf(`to %q it must say "ok":true`, to.Op)
		}
	case !slices.Contains(ops(), to.Op):
		return fmt.Errorf(`to %q, an op that there is not, it must say "unsupported", and why`, to.Op)
	case r.State == nil:
		return fmt.Errorf(`to %q it must say "state", the state after the step`, to.Op)
	case to.Op != Load && r.Ignored == "" && r.Effects == nil:
		return fmt.Errorf(`to %q it must say "effects", a list, which is empty if there are none; or "ignored", why there was no step`, to.Op)
	case r.Ignored != "" && len(r.Effects) > 0:
		return fmt.Errorf("it ignores the input, and has %d effects: what is ignored has none", len(r.Effects))
	}
	return nil
}

// featured says what is wrong with the features of a port.
func featured(features []string) error {
	for k, one := range features {
		if !slices.Contains(Features(), one) {
			return fmt.Errorf(`"features" has %q: there are %s`, one, strings.Join(Features(), ", "))
		}
		if slices.Contains(features[:k], one) {
			return fmt.Errorf(`"features" has %q twice`, one)
		}
	}
	return nil
}

// misspelt says what is wrong with the names of fields in a line of valid JSON, or "": package json takes one twice, and any letters
// for those of a name. All names of a reply are small letters.
func misspelt(line []byte) string {
	var seen [][]byte // of all objects that are open
	var opened []int  // where in seen those of each begin; -1 for a list
	isName := false   // whether a text that comes now is a name
	for k := 0; k < len(line); k++ {
		switch line[k] {
		case '{':
			opened, isName = append(opened, len(seen)), true
		case '[':
			opened, isName = append(opened, -1), false
		case '}', ']':
			if from := opened[len(opened)-1]; from >= 0 {
				seen = seen[:from]
			}
			opened, isName = opened[:len(opened)-1], false
		case ',':
			isName = opened[len(opened)-1] >= 0
		case '"':
			end := k + 1
			for line[end] != '"' {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			if isName {
				name := line[k+1 : end]
				if bytes.ContainsFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }) {
					return fmt.Sprintf("there is no field \"%s\": names are as conformance/CERTIFYING.md spells them", short(name))
				}
				for _, other := range seen[opened[len(opened)-1]:] {
					if bytes.Equal(other, name) {
						return fmt.Sprintf("the field %q is there twice", name)
					}
				}
				seen = append(seen, name)
			}
			k, isName = end, false
		}
	}
	return ""
}

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
