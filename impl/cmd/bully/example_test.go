package main

import (
	"context"
	"os"
	"strings"
)

func Example() {
	p := program{out: os.Stdout, log: &strings.Builder{}}
	p.main(context.Background(), []string{"help"})
	// Output:
	// Bully elects a leader among a fixed set of nodes, with epochs that fence off old leaders.
	//
	// Usage: bully COMMAND [flags]
	//
	//   check     explore the configurations of the specification, and compare with its list
	//   help      say how to use a command
	//   version   print the version
	//
	// "bully help COMMAND" lists the flags of a command.
}
