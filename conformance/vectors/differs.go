package vectors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// differs says how a reply is not the one wanted, or "": the first field that is another, what it should be and what it is. The rule
// is that of the host's duty that cannot be done (R4, R36, R39), or "".
func differs(q *port.Request, want, got *port.Reply) (rule, problem string) {
	switch {
	case want.Error != "" && got.Error == "":
		return "", `"error" is expected, and why: the request is not of its form`
	case got.Error != "" && want.Error == "":
		return "", "the port says that it has failed: " + got.Error
	case got.Unsupported != "" && want.Unsupported == "":
		return "", "the port says that it does not support this: " + got.Unsupported
	case (want.Unsupported != "") != (got.Unsupported != ""):
		return "", `"unsupported" is expected, and why`
	}
	if problem = cmp.Or(
		field("ok", want.OK, got.OK),
		pointer("admitted", want.Admitted, got.Admitted), pointer("highest", want.Highest, got.Highest), pointer("value", want.Value, got.Value),
	); problem != "" || want.State == nil {
		return "", problem
	}
	switch {
	case want.Ignored != "" && got.Ignored == "":
		return "", `no step is expected, "ignored" and why; got a step`
	case want.Ignored == "" && got.Ignored != "":
		return "", "a step is expected; got none: " + got.Ignored
	}
	if problem = States(want.State, got.State); problem != "" || want.Ignored != "" {
		return "", problem
	}
	return effects(q, want.Effects, got.Effects)
}

// States says which field of a state is not the one wanted, the first one, or "".
func States(want, got *spec.State) string {
	return cmp.Or(
		field("state.role", want.Role, got.Role),
		field("state.leader", want.Leader, got.Leader),
		field("state.lease", want.Lease, got.Lease),
		field("state.epoch", want.Epoch, got.Epoch),
		field("state.grantee", want.Grantee, got.Grantee),
		texts("state.support", want.Support, got.Support),
		field("state.asked", want.Asked, got.Asked),
		field("state.latest", want.Latest, got.Latest),
		field("state.dated", want.Dated, got.Dated),
		texts("state.answered", want.Answered, got.Answered),
		field("state.configuration", want.Configuration, got.Configuration),
	)
}

// duties are effects sorted out.
type duties struct {
	save        *spec.Durable
	over        *spec.Epoch
	cancel, arm spec.TimerSet
	sent        []spec.Message
	tell        *port.Leadership
}

// sortOut sorts effects out. To cancel the timer whose end is the input is as good as not to.
func sortOut(effects []port.Effect, ended spec.Timer) (d duties) {
	for k := range effects {
		e := &effects[k]
		switch {
		case e.Save != nil:
			d.save = e.Save
		case e.Over != nil:
			d.over = e.Over
		case e.Cancel != "" && e.Cancel != ended:
			d.cancel |= spec.TimersOf(e.Cancel)
		case e.Arm != "":
			d.arm |= spec.TimersOf(e.Arm)
		case e.Send != nil:
			d.sent = append(d.sent, *e.Send)
		case e.Tell != nil:
			d.tell = e.Tell
		}
	}
	return d
}

// effects compares what a host is to do. Messages come first: whom a wrong one hurts is somebody else.
func effects(q *port.Request, wanted, gotten []port.Effect) (rule, problem string) {
	want, got := sortOut(wanted, q.Timer), sortOut(gotten, q.Timer)
	for k := range max(len(want.sent), len(got.sent)) {
		switch {
		case k >= len(got.sent):
			return "", fmt.Sprintf("effects: send number %d is missing: expected %s", k+1, want.sent[k])
		case k >= len(want.sent):
			return "", fmt.Sprintf("effects: send number %d is one too many: %s", k+1, got.sent[k])
		case want.sent[k] != got.sent[k]:
			return "", fmt.Sprintf("effects: send number %d: expected %s, got %s", k+1, want.sent[k], got.sent[k])
		}
	}
	if rule, problem = port.Disorder(gotten); problem != "" {
		return rule, problem
	}
	for _, duty := range []struct{ rule, problem string }{
		{"R4", pointer("effects: save", want.save, got.save)},
		{"R39", pointer("effects: over", want.over, got.over)},
		{"R36", sets("effects: cancel", want.cancel, got.cancel)},
		{"R36", sets("effects: arm", want.arm, got.arm)},
		{"R39", pointer("effects: tell", want.tell, got.tell)},
	} {
		if duty.problem != "" {
			return duty.rule, duty.problem
		}
	}
	return "", ""
}

// field says that two values differ, or "".
func field[T comparable](name string, want, got T) string {
	if want == got {
		return ""
	}
	return texts(name, want, got)
}

// pointer says that two values differ, or that one of them is missing, or "".
func pointer[T comparable](name string, want, got *T) string {
	switch {
	case want == nil && got == nil:
		return ""
	case want == nil:
		return fmt.Sprintf("%s is there, %s, and should not be", name, text(got))
	case got == nil:
		return fmt.Sprintf("%s is missing: expected %s", name, text(want))
	}
	return field(name, *want, *got)
}

// sets says that two sets of timers differ, or "".
func sets(name string, want, got spec.TimerSet) string {
	if want == got {
		return ""
	}
	return fmt.Sprintf("%s: expected %s, got %s", name, want, got)
}

// texts says that two values are not the same text, or "".
func texts(name string, want, got any) string {
	if w, g := text(want), text(got); w != g {
		return fmt.Sprintf("%s: expected %s, got %s", name, w, g)
	}
	return ""
}

// text returns a value as JSON, where a list of nothing is [].
func text(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if bytes.Equal(data, []byte("null")) {
		switch value.(type) {
		case []spec.NodeID, []spec.Answered:
			return "[]"
		}
	}
	return string(data)
}
