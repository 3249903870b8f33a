// Package spec is the vocabulary of the protocol: its words as types and constants, and the forms in which they are
// written as text, as JSON, on the wire and in traces. It has no behaviour; what a node does is said by the rules
// R1 to R51 in spec/README.md, by the modules in tla, and by the packages model and impl/bully. They all use these
// words, and a test compares them.
//
// A node is named by a [NodeID]. It is in a [State], takes an input — a [Message], a [Timer] that has
// fired, a [Call] of its user or host — and comes to another State with messages to send: that is one [Action]. Where
// members come and go, each state and each message has a [Configuration], which says who they are; where they are fixed
// there is none. A trace is the record of a run, with one [Event] for each action. This is the loop that reads one:
//
//	trace, err := spec.NewTraceReader(file)
//	if err != nil {
//		return err
//	}
//	for {
//		var event spec.Event
//		err := trace.Read(&event)
//		if err == io.EOF {
//			return nil
//		}
//		if err != nil {
//			return err // such as: line 7: state.epoch: 9007199254740992 is above 2^53-1
//		}
//		fmt.Println(event)
//	}
//
// # The form of a trace
//
// A trace is NDJSON: a [Header], then one [Event] a line, each line ended by LF. spec/trace.md says all of it.
//
//	{"seq":3,"node":"2","action":"OnClaim","input":{"message":{"type":"CLAIM","from":"3","to":"2","epoch":1,"question":3}},"sent":[{"type":"GRANT","from":"2","to":"3","epoch":1,"question":3}],"state":{…}}
//
// # Strictness
//
// What is read here decides what is accepted as evidence, so everything that reads JSON in this package is strict.
// A field unknown, missing or given twice is an error; integers are digits only, from 0 to 2^53-1; strings are
// printable ASCII without escapes. White space and the order of fields are free to read; what is written has one
// form only.
package spec
