// Package spec is the vocabulary of the protocol: its words as types and constants, and the forms in which they are
// written as text, as JSON, on the wire and in traces. It has no behaviour; what a node does is said by the rules
// R1 to R50 in spec/README.md, by the modules in tla, and by the packages model and impl/bully. They all use these
// words, and a test compares them.
//
// A node is named by a [NodeID], which is its rank. It is in a [State], takes an input — a [Message], a [Timer] that has
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
// A trace is NDJSON: a [Header], then one object a line, each line ended by LF. These are events of every kind:
//
//	{"seq":1,"node":"2","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
//	{"seq":2,"node":"3","action":"ElectionTimeout","input":{"timer":"election"},"sent":[],"state":{…}}
//	{"seq":3,"node":"2","action":"OnClaim","input":{"message":{"type":"CLAIM","from":"3","to":"2","epoch":1,"question":3}},"sent":[{"type":"GRANT","from":"2","to":"3","epoch":1,"question":3}],"state":{…}}
//	{"seq":4,"node":"3","action":"Resign","input":{"call":"resign"},"sent":[…],"state":{…}}
//	{"seq":5,"node":"3","action":"Crash","state":{…}}
//	{"seq":6,"node":"3","action":"Restart","sent":[…],"state":{…}}
//	{"seq":7,"action":"Lose","input":{"message":{"type":"IM_BACK","from":"3","to":"2","epoch":1,"question":1048577}}}
//	{"seq":8,"action":"Cut","input":{"cut":[["3","1"],["3","2"]]}}
//	{"seq":9,"at":1763715600000000,"node":"2","action":"HolderDead","input":{"call":"holder-dead"},"sent":[],"state":{…}}
//
// Where members change, each message and each state ends with a configuration, and there is one more kind of event:
//
//	{"format":3,"spec":"2.0","changing":true,"members":["1","2","3","4"],"seed":81,"commit":"9fceb02"}
//	{"seq":1,"node":"4","action":"Start","sent":[],"state":{…,"latest":1,"configuration":{"epoch":0,"version":0,"members":[]}}}
//	{"seq":2,"node":"3","action":"Change","input":{"call":"change","configuration":{"epoch":1,"version":2,"members":[…]}},"sent":[…],"state":{…}}
//
// Any event may say when it was: "at", in microseconds since 1970.
//
// # Strictness
//
// What is read here decides what is accepted as evidence, so everything that reads JSON in this package is strict.
// A field unknown, missing or given twice is an error; integers are digits only, from 0 to 2^53-1; strings are
// printable ASCII without escapes. White space and the order of fields are free to read; what is written has one
// form only.
package spec
