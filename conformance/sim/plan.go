package sim

import (
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Plan is everything about a run that is not the implementation: the same plan on the same implementation gives the same
// run, to the byte, on any machine. Generate makes one from a seed; a plan that has been shrunk is a file.
type Plan struct {
	Seed    uint64        // of every delay, loss and wait that the run draws, at most 2^53-1; each link, disk and node draws from a stream of its own
	Members []spec.NodeID // ascending, 1 to MaxNodes
	Timing  Timing        // of every host
	Links   Weather       // of every link, where no fault says otherwise
	Disk    Range         // how long a save takes
	Rates   []float64     // Rates[i] is how many seconds the clock of member i counts in one; none: all 1. Within 1-Drift to 1+Drift they are bounded
	Proofs  bool          // hosts are told truthfully, within a delay, that a member is dead (R41)
	Faults  []Fault       // in the order of At
	Length  time.Duration // when the faults, all of which have ended, may be said to be over; the time to settle comes after
}

// Weather is what a link does to messages.
type Weather struct {
	Delay Range   // how long a message is under way; messages of one link never overtake
	Loss  float64 // the part of messages that is lost, from 0 to 1
}

// Range is a time drawn evenly from Min to Max, both included.
type Range struct{ Min, Max time.Duration }

// Timing is what a host sets timers to (R36, R37).
type Timing struct {
	Delay time.Duration // δ
	Drift float64       // ρ

	Beat, Quorum, Heartbeat, Election, Coordinator, Claim, Preempt, Stagger time.Duration // Preempt below 0: never
}

// FaultKind names a fault. The set is closed.
type FaultKind string

const (
	// CrashFault crashes Node at At, or in its first step from At on (Cut), and restarts it after For.
	CrashFault FaultKind = "crash"
	// CutFault makes Links carry nothing for For, and loses what is under way on them.
	CutFault FaultKind = "cut"
	// BreakFault loses what is under way on Links, at once, and is over.
	BreakFault FaultKind = "break"
	// WeatherFault gives Links another Weather for For.
	WeatherFault FaultKind = "weather"
	// PauseFault lets Node do nothing for For: its timers run, its messages wait.
	PauseFault FaultKind = "pause"
	// SlowDiskFault makes saves of Node take Disk for For.
	SlowDiskFault FaultKind = "slow-disk"
	// FailDiskFault fails the next save of Node from At on: what was to be saved is on disk if Kept, and the node stops for
	// good. It is restarted after For.
	FailDiskFault FaultKind = "fail-disk"
	// JumpFault lets the clock of Node jump ahead by For, as one does that was suspended and tells nobody.
	JumpFault FaultKind = "jump"
	// EarlyFault ends all timers of Node, whenever they would end.
	EarlyFault FaultKind = "early"
	// DeadFault tells Node that the holder of its lease is dead, true or not.
	DeadFault FaultKind = "dead"
	// ResignFault calls Node to resign.
	ResignFault FaultKind = "resign"
)

// Point is where in a step a crash comes.
type Point int

const (
	// Between is between two steps.
	Between Point = -2
	// BeforeSave is in the next step, before its promise is on disk; if it has none to save, before it is taken.
	BeforeSave Point = -1
	// AfterSave is in the next step, before anything is sent. AfterSave + k is after k messages.
	AfterSave Point = 0
)

// Fault is something that goes wrong. Which fields count, its kind says.
type Fault struct {
	At    time.Duration
	For   time.Duration
	Kind  FaultKind
	Node  spec.NodeID
	Links []spec.Link
	Point Point
	Weather
	Disk Range
	Kept bool
}
