package main

// What a node holds open besides HTTP: its record and what guards it, listeners, a trace, and what the runtime needs; and for each
// member a connection each way, and one that is being made.
const (
	filesOfNode   = 40
	filesOfMember = 4
	// filesOfHTTP is how many connections HTTP has where files are no concern, and fewest how many where they are.
	filesOfHTTP, fewestOfHTTP = 512, 8
)

// mayOpen returns how many HTTP connections there may be, if a process may have so many files open and the rest of the node is to have
// what it needs; and how many files it would take not to restrict anything.
func mayOpen(files uint64, members int) (http int, wanted uint64) {
	own := uint64(filesOfNode + filesOfMember*members)
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
	http, wanted := mayOpen(files, max(len(n.members), 1))
	if http < filesOfHTTP {
		n.logger.Warn("this process may have few files open: HTTP gets few connections; let it have more (ulimit -n, LimitNOFILE=)",
			"files", files, "wanted", wanted, "http", http)
	}
	return http
}
