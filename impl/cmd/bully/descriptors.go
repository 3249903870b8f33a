package main

import "fmt"

// What a node holds open besides HTTP: its record and what guards it, listeners, a trace, and what the runtime needs; and for each
// member a connection each way, and one that is being made.
const (
	filesOfNode   = 40
	filesOfMember = 4
	// filesOfHTTP is how many connections HTTP has where files are no concern, and fewest how many where they are.
	filesOfHTTP, fewestOfHTTP = 512, 8
)

// leastFiles returns how many files a node with so many members must be able to open: one that cannot accept a connection takes part in nothing, and looks well.
func leastFiles(members int) uint64 { return uint64(filesOfNode + filesOfMember*max(members, 1)) }

// checkFiles refuses to begin where too few files may be open.
func (n *node) checkFiles() error {
	if files, known := maxFiles(); known && files < leastFiles(len(n.members)) {
		return fmt.Errorf("this process may have %d files open, and a node of %d members needs %d: let it have more (ulimit -n, LimitNOFILE=)",
			files, max(len(n.members), 1), leastFiles(len(n.members)))
	}
	return nil
}

// mayOpen returns how many HTTP connections there may be, if a process may have so many files open and the rest of the node is to have
// what it needs; and how many files it would take not to restrict anything.
func mayOpen(files uint64, members int) (http int, wanted uint64) {
	own := leastFiles(members)
	wanted = own + filesOfHTTP
	if files >= wanted {
		return filesOfHTTP, wanted
	}
	return int(max(files, own+fewestOfHTTP) - own), wanted
}

// slots returns how many HTTP connections there may be, and warns if that is fewer than usual.
func (n *node) slots() int {
	files, known := maxFiles()
	if !known {
		return filesOfHTTP
	}
	http, wanted := mayOpen(files, len(n.members))
	if http < filesOfHTTP {
		n.logger.Warn("this process may have few files open: HTTP gets few connections; let it have more (ulimit -n, LimitNOFILE=)",
			"files", files, "wanted", wanted, "http", http)
	}
	return http
}
