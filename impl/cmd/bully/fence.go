package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// newFence returns the fence of a record: in a folder that all nodes have mounted, or at a server.
func newFence(where, cluster, name string) (fence, error) {
	if !strings.Contains(where, "://") {
		f := &folderFence{folder: filepath.Join(where, name), marker: filepath.Join(where, cluster+".fence")}
		return f, f.mounted()
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, cli.Usage("-fence: this is no folder, and no URL of a server such as https://fence.example.org/jobs")
	}
	return &serverFence{u.JoinPath(name)}, nil
}

// folderFence keeps a record in a folder on storage that all nodes have mounted.
type folderFence struct {
	folder string
	marker string // a file without which the storage is not there
}

// mounted returns an error if the storage is not there. Where it is to be mounted there may be an empty folder: what is written to that,
// no other node sees.
func (f *folderFence) mounted() error {
	_, err := os.Stat(f.marker)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-fence: %w: is the storage mounted that all nodes share? Where it is, make this file once: touch %s", err, f.marker)
	case err != nil:
		return fmt.Errorf("-fence: %w", err)
	}
	return nil
}

func (f *folderFence) update(epoch spec.Epoch, change func(old []byte) ([]byte, error)) (err error) {
	if err := f.mounted(); err != nil {
		return err
	}
	file, err := resource.OpenFile(f.folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, admitted, err := file.Read()
	if err != nil {
		return err
	}
	return file.Update(epoch, func(old []byte) ([]byte, error) {
		next, err := change(old)
		if errors.Is(err, errAsIs) && admitted < epoch {
			return old, nil // who leads has looked: from now on nobody of before notes anything
		}
		return next, err
	})
}

func (f *folderFence) read() ([]byte, error) {
	if err := f.mounted(); err != nil {
		return nil, err
	}
	text, _, err := resource.ReadFile(f.folder)
	return text, err
}

func (f *folderFence) place() string { return f.folder }

// serverFence keeps a record at a server, behind a resource.Handler.
type serverFence struct{ url *url.URL }

const (
	// fenceTimeout bounds how long the server may take.
	fenceTimeout = 5 * time.Second
	// maxFenceRecord is the greatest length of a record in bytes.
	maxFenceRecord = 1 << 16
)

// update raises the fence before it reads: from then on nobody but this reign writes, so that what is read is what is replaced.
func (f *serverFence) update(epoch spec.Epoch, change func(old []byte) ([]byte, error)) error {
	if _, err := f.ask(http.MethodPut, f.url.JoinPath("raised"), epoch, []byte("{}")); err != nil {
		return err
	}
	old, err := f.read()
	if err != nil {
		return err
	}
	next, err := change(old)
	if err != nil {
		return err
	}
	_, err = f.ask(http.MethodPut, f.url, epoch, next)
	if _, unanswered := errors.AsType[*url.Error](err); unanswered {
		return fmt.Errorf("%w: %w", errUnsure, err)
	}
	return err
}

// errUnsure says that a record may be written still, late. Only the next reign is safe from that: it raises the fence before it reads.
var errUnsure = errors.New("it is not known whether it was written")

func (f *serverFence) read() ([]byte, error) { return f.ask(http.MethodGet, f.url, 0, nil) }

func (f *serverFence) place() string { return f.url.Redacted() }

// ask makes a request. What is not there is nothing.
func (f *serverFence) ask(method string, to *url.URL, epoch spec.Epoch, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fenceTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method != http.MethodGet {
		resource.SetEpoch(request.Header, epoch)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err // it says the URL, without a password
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxFenceRecord+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", to.Redacted(), err)
	case resource.CheckResponse(response) != nil:
		return nil, resource.CheckResponse(response)
	case method == http.MethodGet && response.StatusCode == http.StatusNotFound:
		return nil, nil
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: %s", to.Redacted(), response.Status)
	case len(text) > maxFenceRecord:
		return nil, fmt.Errorf("%s: what is kept there is longer than %d bytes, so it is no record of a job", to.Redacted(), maxFenceRecord)
	case method != http.MethodGet && response.Header.Get(resource.AdmittedHeader) == "":
		return nil, fmt.Errorf("%s: the server does not say which epoch it has admitted (%s): it is no fence", to.Redacted(), resource.AdmittedHeader)
	}
	return text, nil
}
