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
)

// AddressFile is the file in a folder that says where the node listens, if members come and go. As soon as the configuration of the node says
// so too, that goes before it.
const AddressFile = "address"

// KeepAddress keeps in a folder where its node listens, until its configuration says so.
func KeepAddress(folder, address string) error {
	return os.WriteFile(filepath.Join(folder, AddressFile), []byte(address+"\n"), 0o644)
}

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
	file := filepath.Join(folder, AddressFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	address := strings.TrimSpace(string(text))
	if _, _, err := net.SplitHostPort(address); err != nil {
		return "", fmt.Errorf("%s: %q is no address: it should be host:port", file, address)
	}
	return address, nil
}
