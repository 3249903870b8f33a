package bully

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// Input is what a node takes a step on. Start, Restart, Receive, Ended, Resign, HandOver, HolderDead and Change make one; the
// zero Input is ignored as malformed.
type Input struct {
	kind    kind
	message spec.Message // of a call to resign: whom it names, and for how long
	timer   spec.Timer
	promise spec.Durable // of a restart; of a change, the configuration that is wanted
}

type kind uint8

const (
	start kind = iota + 1
	restart
	receive
	timeout
	resign
	holderDead
	change
)

// Start is the first start in the life of a node, with nothing on disk (R32).
func Start() Input { return Input{kind: start} }

// Restart is any later start, with the promise that the disk has kept (R30). With changing members it has the
// configuration of the node.
func Restart(promise spec.Durable) Input { return Input{kind: restart, promise: promise} }

// Receive is a message that has arrived.
func Receive(m spec.Message) Input { return Input{kind: receive, message: m} }

// Timeout is the end of a timer. Whether it ends when it should is the host's to say (R37).
func Timeout(t spec.Timer) Input { return Input{kind: timeout, timer: t} }

// Resign is the call to lead no longer (R28). For a node that does not lead it is no step.
func Resign() Input { return Input{kind: resign} }

// HandOver is the call to lead no longer, and to name who is to stand first, and for how long that one is not to be pre-empted: a voter
// of the node's configuration, and not the node itself (R51). Else, and for a node that does not lead, it is no step.
func HandOver(names spec.NodeID, hold spec.Hold) Input {
	return Input{kind: resign, message: spec.Message{Names: names, Hold: hold}}
}

// HolderDead is the call that says that the node whose lease is kept is proved dead (R41). For a node that keeps no
// lease, or its own, it is no step.
func HolderDead() Input { return Input{kind: holderDead} }

// Change is the call to make c the configuration of the cluster: the next after that of the leader, with one member that
// differs (R47). Where it may not be it is no step; Node.MayChange says why.
func Change(c spec.Configuration) Input {
	return Input{kind: change, promise: spec.Durable{Configuration: c}}
}

// InputOf is the input that an event of a trace tells of: a message, the end of a timer, or a call. Starts are told of by
// the action alone, and are not among them.
func InputOf(in spec.Input) Input {
	switch {
	case in.Timer != "":
		return Timeout(in.Timer)
	case in.Call == spec.ResignCall:
		return HandOver(in.Names, in.Hold) // or Resign, if it names nobody
	case in.Call == spec.HolderDeadCall:
		return HolderDead()
	case in.Call == spec.ChangeCall:
		return Change(in.Configuration)
	}
	return Receive(in.Message)
}

// String returns the input as a person would say it: 3→1 CLAIM epoch:4.
func (in Input) String() string {
	switch in.kind {
	case start:
		return "start"
	case restart:
		text := fmt.Sprintf("restart epoch:%d grantee:%s reserved:%d", in.promise.Epoch, in.promise.Grantee, in.promise.Reserved)
		if c := in.promise.Configuration; !c.IsNone() {
			text += " configuration:" + c.String()
		}
		return text
	case receive:
		return in.message.String()
	case timeout:
		return string(in.timer) + " ended"
	case resign:
		return spec.Input{Call: spec.ResignCall, Names: in.message.Names, Hold: in.message.Hold}.String()
	case holderDead:
		return string(spec.HolderDeadCall)
	case change:
		return string(spec.ChangeCall) + " " + in.promise.Configuration.String()
	}
	return "no input"
}
