package bully

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// AddressFile is the file in a folder that says where the node listens, if members come and go, and of a node that waits to be added, by which
// members. As soon as the node has a configuration, that goes before it.
const AddressFile = "address"

// KeepAddress keeps in a folder where its node listens, until its configuration says so; and by whom it is to be added, if it waits for that:
// see AddedBy in host.Config.
func KeepAddress(folder, address string, by ...spec.NodeID) error {
	text := address + "\n"
	if len(by) > 0 {
		ids := make([]string, len(by))
		for i, id := range by {
			ids[i] = id.String()
		}
		text += addedBy + strings.Join(ids, ",") + "\n"
	}
	return os.WriteFile(filepath.Join(folder, AddressFile), []byte(text), 0o644)
}

// addedBy begins the second line of an AddressFile.
const addedBy = "added by "

// ListensAt returns where the node of a folder listens, if members come and go: as its configuration says, or as [KeepAddress] has kept.
// It is "" if neither does.
func ListensAt(folder string) (string, error) {
	report, err := storage.Inspect(folder)
	if err != nil {
		return "", err
	}
	if m, member := report.Promise.Configuration.Member(report.Identity.ID); member && m.Address != "" {
		address, _, err := transport.SplitAddress(m.Address)
		return address, err
	}
	address, _, err := readAddress(folder)
	return address, err
}

// readAddress reads what KeepAddress has kept, if it has.
func readAddress(folder string) (address string, by []spec.NodeID, err error) {
	file := filepath.Join(folder, AddressFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	address, rest, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if _, _, err := net.SplitHostPort(address); err != nil {
		return "", nil, fmt.Errorf("%s: %q is no address: it should be host:port", file, address)
	}
	if rest == "" {
		return address, nil, nil
	}
	ids, found := strings.CutPrefix(rest, addedBy)
	if !found {
		return "", nil, fmt.Errorf("%s: the second line is %q: it should be %sthe ids of members, with commas between", file, rest, addedBy)
	}
	for part := range strings.SplitSeq(ids, ",") {
		id, err := spec.ParseNodeID(part)
		if err != nil {
			return "", nil, fmt.Errorf("%s: the second line names %q: %w", file, part, err)
		}
		by = append(by, id)
	}
	return address, by, nil
}
