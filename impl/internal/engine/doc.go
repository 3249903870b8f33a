// Package engine answers the page of the viewer: it plays runs, opens every file that this project writes, and exports what is shown. It is asked
// in JSON, by the name of a method and a list of arguments, as traces/viewer/src/types.ts has them.
//
//	var e engine.Engine
//	opened := e.Call("openGolden", `["failover"]`)   // {"handle":1,"header":{…},"frames":[…],"ended":true}
//	saved := e.Call("trace", `[1]`)                  // {"name":"failover.ndjson","text":"…"}
//	e.Call("close", `[1]`)
//
// Every answer is what the page expects of that method. If something is wrong, even with the engine itself, it has a problem
// as well, in words for whoever looks at the page: no call fails, or ends the program.
//
// A program opens a file without a page, whatever it is, a trace, a recording, a run spec, or what a model checker has printed:
//
//	opened := engine.Open(text, name)
//	if opened.Problem != nil {
//		fmt.Println(opened.Problem) // and the recording has what comes before the line that is wrong
//	}
//	show(opened.Recording.Header, opened.Recording.Frames)
package engine
