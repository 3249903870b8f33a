package bully

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// SettledFile is the file in a folder that says who the members are, if they were found: see FindMembers.
const SettledFile = "members"

func settledPath(dir string) string { return filepath.Join(dir, SettledFile) }

// readSettled returns the members that were settled, or nil if none were yet.
func readSettled(dir string) (map[spec.NodeID]string, error) {
	text, err := os.ReadFile(settledPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bully: %w", err)
	}
	members, err := transport.ParseMembers(strings.TrimSpace(string(text)), nil)
	if err != nil {
		return nil, fmt.Errorf("bully: %s is damaged: %w; write there who the members are, as another node has them", settledPath(dir), err)
	}
	if err := folder.SyncNames(dir); err != nil {
		return nil, fmt.Errorf("bully: %w", err)
	}
	return members, nil
}

// settle makes it durable who the members are, and returns them. If they were settled meanwhile, by another process, it is those.
func settle(dir string, members map[spec.NodeID]string) (map[spec.NodeID]string, error) {
	err := folder.WriteOnce(dir, SettledFile, []byte(listed(members)+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return readSettled(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("bully: who the members are could not be kept: %w", err)
	}
	return members, nil
}
