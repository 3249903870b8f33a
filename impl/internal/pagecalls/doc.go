// Package pagecalls answers the page of the viewer: it plays, opens and exports films, and is asked in JSON, by the name of a
// method and a list of arguments, as traces/viewer/src/types.ts has them.
//
//	var e pagecalls.Engine
//	opened := e.Call("openGolden", `["failover"]`)   // {"handle":1,"header":{…},"frames":[…],"ended":true}
//	saved := e.Call("trace", `[1]`)                  // {"name":"failover.ndjson","text":"…"}
//	e.Call("close", `[1]`)
//
// Every answer is what the page expects of that method. If something is wrong, even with the engine itself, it has a problem
// as well, in words for whoever looks at the page: no call fails, or ends the program.
package pagecalls
