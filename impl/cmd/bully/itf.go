package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-fdf591db/bully/impl/cmd/bully/stage"
	"github.com/seed-fdf591db/bully/impl/cmd/bully/stage/behaviour"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/itf"
)

// toITF writes a trace in the Informal Trace Format.
func (p program) toITF(name string, arguments []string) error {
	if len(arguments) != 1 {
		return usageError{"one trace is wanted, or - for standard input; merge makes one of the records of several nodes"}
	}
	text, err := readArgument(arguments[0])
	if err != nil {
		return err
	}
	r, err := spec.NewTraceReader(bytes.NewReader(text))
	var events []spec.Event
	for err == nil {
		var e spec.Event
		if err = r.Read(&e); err == nil {
			events = append(events, e.Clone())
		}
	}
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", arguments[0], err)
	}
	out, err := itf.Export(r.Header(), events)
	if err != nil {
		return fmt.Errorf("%s: %w", arguments[0], err)
	}
	return p.writeOut(out, name)
}

// writeOut writes to a file, or to standard output.
func (p program) writeOut(text []byte, name string) error {
	if name == "" {
		_, err := p.out.Write(text)
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// fromITF makes a trace of states in the Informal Trace Format: of what toITF has written, or of states of module Cluster.
func (p program) fromITF(name string, arguments []string) error {
	if len(arguments) != 1 {
		return usageError{"one file is wanted, or - for standard input"}
	}
	text, err := readArgument(arguments[0])
	if err != nil {
		return err
	}
	trace, err := stage.TraceOfITF(text)
	if err == nil {
		return p.writeOut(trace, name)
	}
	if !errors.Is(err, itf.ErrNotOurs) {
		return fmt.Errorf("%s: %w", arguments[0], err)
	}
	b, err := behaviour.Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", arguments[0], err)
	}
	if trace, err = b.Trace(); err != nil {
		return fmt.Errorf("%s: no trace can be made of it: %w. To see it all the same: bully view %s", arguments[0], err, arguments[0])
	}
	return p.writeOut(trace, name)
}
