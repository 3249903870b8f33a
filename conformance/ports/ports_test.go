package ports_test

import (
	"fmt"
	"io/fs"

	"github.com/seed-fdf591db/bully/conformance/ports"
)

// The files of the port in Python.
func Example() {
	files, err := fs.Glob(ports.Python, "python/*.py")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range files {
		fmt.Println(name)
	}
	// Output:
	// python/base.py
	// python/bully.py
	// python/configuration.py
	// python/fence.py
	// python/ids.py
	// python/message.py
	// python/node.py
	// python/port.py
	// python/step.py
}
