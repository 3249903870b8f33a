package spec

import "slices"

// Step is what a node does with an input. Which step it is, Input.Action says.
type Step struct {
	// Ignored says that there was no step: the state stays, and all else is zero, whether the input is to be counted (R33,
	// R34, R35) or not (R28, R41, R47).
	Ignored bool
	State   State     // the state after the step; that before it, if there was none
	Sent    []Message // what the step sends, in order

	// What the step asks of its host besides follows from the states before and after; it is zero where nobody asks for it.

	Save        bool     // epoch, grantee and configuration must be on disk before anything is sent (R4, R42)
	Cancel, Arm TimerSet // R36; a timer that is armed may be running, and then begins anew
}

// Equal reports whether two steps are the same.
func (s Step) Equal(t Step) bool {
	return s.Ignored == t.Ignored && s.Save == t.Save && s.Cancel == t.Cancel && s.Arm == t.Arm &&
		s.State.Equal(t.State) && slices.Equal(s.Sent, t.Sent)
}

// Action returns the step that a node takes on in, if it takes one: "" for a message that is none.
func (in *Input) Action() Action {
	switch {
	case in.Timer != "":
		return in.Timer.Action()
	case in.Call != "":
		return in.Call.Action()
	}
	return in.Message.Type.Action()
}

// OfMessage reports whether in is a message, well formed or not.
func (in *Input) OfMessage() bool { return in.Timer == "" && in.Call == "" }

// Starts reports whether in begins the life of a node, or begins it again.
func (in *Input) Starts() bool { return in.Call == StartCall || in.Call == RestartCall }
