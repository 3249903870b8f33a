package main

import (
	"context"
	"os"
	"strings"
)

func Example() {
	newProgram().To(os.Stdout, &strings.Builder{}).Main(context.Background(), []string{"help"})
	// Output:
	// Bully elects a leader among nodes, with epochs that fence off old leaders.
	//
	// Usage: bully COMMAND [flags]
	//
	//   cert      make the certificates by which nodes know each other
	//   demo      run five nodes, kill the leader, bring it back; or replace all of them, one by one
	//   exec      run a node, and a command while it leads
	//   groups    show who leads what of many groups, or would if nodes went or came
	//   guard     run a program that embeds a node, kill it when it hangs, and start it again
	//   help      say how to use a command
	//   init      make the record of a first member of a cluster whose members come and go
	//   join      make the record of a node that is to be added to one
	//   lead      lead by a node of this machine, and become a command that acts while its leases hold
	//   measure   say which timer profiles this machine can keep
	//   member    list, add, remove or replace members, if they come and go
	//   repair    show what is in the data folder of a node, and find a way out
	//   resign    ask the leader to resign, and see who leads next
	//   run       run a node
	//   status    ask nodes what they are, and who leads
	//   trace     merge the records that nodes have written, show them, or check traces
	//   version   print the version
	//
	// "bully help COMMAND" lists the flags of a command.
}
