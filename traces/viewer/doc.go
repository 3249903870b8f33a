// Package viewer is the page on which people see elections: one file that plays the algorithms of this module itself, opens
// the files that this module writes, and asks the network for nothing, but for the nodes of a cluster that it watches.
//
// A page that opens a trace, as a file:
//
//	page, err := viewer.New(viewer.Options{File: &viewer.File{Name: "run.ndjson", Text: text}})
//	if err != nil {
//		return err // such as: run.ndjson has 20000000 bytes: a page opens at most 16777216 (16 MiB)
//	}
//	_, err = page.WriteTo(out)
//
// A page is an http.Handler too. This one watches a cluster, and comes from one of its nodes:
//
//	page, err := viewer.New(viewer.Options{Live: &viewer.Live{Nodes: []viewer.Node{{URL: ""}, {URL: "http://10.0.0.2:8001"}}}})
//	…
//	mux.Handle("GET /{$}", page)
//
// A second page, much smaller, draws what workbench compare has found: [WriteComparison].
//
// The pages are made from the TypeScript in src, and the engine of the first from a Go program for WebAssembly: make viewer builds them into dist/fresh.
// What is there is taken before dist/released, which is in the repository, so that nobody needs Node.js who does not change them. Page and engine are
// always of one build, and the page says of which commit.
package viewer
