package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// URL returns where a node is, as a URL without a path: http:// may be left out.
func URL(text string) (string, error) {
	if text == "" {
		return "", errors.New("an address is empty: give host:port, with one comma between two of them")
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	text = strings.TrimSuffix(text, "/")
	if problem := CheckPage(text); problem != "" {
		return "", errors.New(problem)
	}
	return text, nil
}

// Get reads JSON from a node.
func Get(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err // whoever prints it says where
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(into)
}

// Views returns the addresses given, and those that the first of them that answers knows of.
func Views(ctx context.Context, urls []string) []string {
	for _, url := range urls {
		var known struct {
			Node  spec.NodeID
			Views map[spec.NodeID]string
		}
		if Get(ctx, url+"/views", &known) != nil {
			continue
		}
		for id, view := range known.Views {
			if id != known.Node && CheckPage(view) == "" && !slices.Contains(urls, view) {
				urls = append(urls, view)
			}
		}
		break
	}
	return urls
}

// CheckPage says what is wrong with the address of a page, or "".
func CheckPage(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		address != u.Scheme+"://"+u.Host || strings.ContainsAny(u.Host, " ;,'\"") {
		return fmt.Sprintf("%q is no address of a page: give http://host:port, and nothing after it", address)
	}
	return ""
}
