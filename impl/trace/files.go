package trace

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// extension is how the name of a file of a record ends.
const extension = ".ndjson"

// file is a file of a record.
type file struct {
	path   string
	node   spec.NodeID
	number int
}

// fileName returns the name of a file of a record: 3-000001.ndjson.
func fileName(node spec.NodeID, number int) string {
	return fmt.Sprintf("%s-%06d%s", node, number, extension)
}

// parseName reads the name of a file of a record.
func parseName(path string) (*file, bool) {
	base, ok := strings.CutSuffix(filepath.Base(path), extension)
	i := strings.LastIndexByte(base, '-')
	if !ok || i < 0 {
		return nil, false
	}
	node, err := spec.ParseNodeID(base[:i])
	number, err2 := strconv.Atoi(base[i+1:])
	if err != nil || err2 != nil || fileName(node, number) != filepath.Base(path) {
		return nil, false
	}
	return &file{path, node, number}, true
}

// filesOf returns the files of a node's record in a folder, oldest first.
func filesOf(dir string, node spec.NodeID) ([]*file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*file
	for _, entry := range entries {
		if f, ok := parseName(filepath.Join(dir, entry.Name())); ok && f.node == node {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, compareFiles)
	return files, nil
}

// compareFiles orders files by node, then by age.
func compareFiles(f, g *file) int {
	return cmp.Or(f.node.Compare(g.node), cmp.Compare(f.number, g.number))
}

// Files returns the files of all records in a folder, by node, and the oldest first. Other files are left out, such as
// a merged trace.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	var files []*file
	for _, entry := range entries {
		if f, ok := parseName(filepath.Join(dir, entry.Name())); ok {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, compareFiles)
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths, nil
}

// ascending returns the ids in ascending order.
func ascending(ids []spec.NodeID) []spec.NodeID {
	return slices.SortedFunc(slices.Values(ids), spec.NodeID.Compare)
}

// contains reports whether id is one of ids.
func contains(ids []spec.NodeID, id spec.NodeID) bool { return slices.Contains(ids, id) }
