// Package explorer runs the Go explorer on the configurations of package tla: each on the Go model
// that is its explorer.
//
// The loop to write:
//
//	entries, err := tla.Load(tla.FS())
//	if err != nil {
//		return err
//	}
//	for _, e := range entries {
//		found := explorer.Run(ctx, e, explorer.Options{})
//		for _, d := range found.Differences() {
//			fmt.Println(e.Name, d)
//		}
//	}
package explorer

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/model/catalogue"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/value"
)

// Options are the settings of Run. The zero value explores with one worker for each
// processor, and without a bound on memory.
type Options struct {
	// Options are those of the explorer. What depends on the entry, CheckDeadlock and Visit, Run sets itself.
	explore.Options
	// Open makes the model of a configuration; nil means catalogue.Open.
	Open func(explore.Configuration) (explore.Model, error)
}

// Outcome is what the explorer found.
type Outcome struct {
	// Entry is what was asked.
	Entry tla.Entry
	// Result is what was found, in the terms of models.json. Its exit status is the one that
	// TLC would give.
	Result tla.Result
	// Violation is the counterexample, or nil.
	Violation *explore.Violation
	// Unchecked names the properties about which the explorer says nothing.
	Unchecked []string
	// States is the set of states, if the entry has a digest of it.
	States *value.States
	// PeakBytes is the most memory that the explorer held at one time.
	PeakBytes int64
	// Err says why there is no result: no model, no memory, cancelled.
	Err error
}

// Configuration returns the configuration of e for the constructors of the models.
func Configuration(e tla.Entry) explore.Configuration {
	c := e.Configuration
	return explore.Configuration{
		Module:        c.Module,
		Specification: c.Specification,
		Constants:     c.Constants,
		Replacements:  c.Replacements,
		Invariants:    c.Invariants,
		Properties:    c.Properties,
	}
}

// Run explores the model of e.
func Run(ctx context.Context, e tla.Entry, o Options) Outcome {
	found := Outcome{Entry: e, Result: tla.Result{Verdict: tla.Failed}}
	open := o.Open
	if open == nil {
		open = catalogue.Open
	}
	model, err := open(Configuration(e))
	if err != nil {
		found.Err = err
		return found
	}
	options := o.Options
	options.CheckDeadlock = e.Configuration.CheckDeadlock
	var unreadable error
	if e.States != "" {
		found.States = value.NewStates()
		options.Visit = func(state []byte) {
			if err := add(found.States, model.Render(state)); err != nil {
				unreadable = err
			}
		}
	}
	r, err := explore.Run(ctx, model, options)
	if err == nil {
		err = unreadable
	}
	found.Unchecked, found.Violation, found.PeakBytes = r.Unchecked, r.Violation, r.PeakBytes
	found.Result.Distinct, found.Result.Generated, found.Result.Depth = r.Distinct, r.Generated, r.Depth
	found.Result.Seconds = r.Seconds
	if found.Err = err; err != nil {
		return found
	}
	found.Result.Verdict = tla.Holds
	if v := r.Violation; v != nil {
		found.Result.Verdict, found.Result.Property, found.Result.Exit = tla.Violates, v.Property, exitOf(v.Kind)
	}
	if found.States != nil {
		found.Result.States = found.States.Digest()
	}
	return found
}

// add adds a rendered state.
func add(states *value.States, variables []explore.Variable) error {
	state := value.State{}
	for _, v := range variables {
		if err := state.Set(v.Name, v.Value); err != nil {
			return fmt.Errorf("the model writes a state that is no TLA+: %w", err)
		}
	}
	states.Add(state)
	return nil
}

// exitOf returns the exit status that TLC gives for a violation.
func exitOf(k explore.Kind) int {
	switch k {
	case explore.Deadlock:
		return 11
	case explore.Invariant:
		return 12
	}
	return 13
}

// Differences returns everything in which the explorer does not confirm its entry.
func (o Outcome) Differences() []string {
	if o.Err != nil {
		return []string{o.Err.Error()}
	}
	var d []string
	switch {
	case o.Entry.Explorer == tla.Full && len(o.Unchecked) > 0 && o.Violation == nil:
		d = append(d, "says nothing about "+strings.Join(o.Unchecked, ", ")+", so explorer must be \"counts\"")
	case o.Entry.Explorer == tla.Counts && len(o.Unchecked) == 0:
		d = append(d, "checks every property, so explorer must be \"verdict\"")
	}
	return append(d, o.Entry.CompareExplorer(o.Result)...)
}
