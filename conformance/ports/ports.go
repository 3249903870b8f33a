// Package ports has the sources of the port in Python, for those who change them: package selftest.
//
//	files, err := fs.Sub(ports.Python, "python")
//	if err != nil {
//		return err
//	}
//	err = os.CopyFS(dir, files) // python3 dir/port.py is a port
package ports

import "embed"

// Python is the port in Python, in the directory python, without its tests.
//
//go:embed python/base.py python/bully.py python/node.py python/configuration.py python/fence.py python/ids.py python/message.py python/port.py python/step.py
var Python embed.FS
