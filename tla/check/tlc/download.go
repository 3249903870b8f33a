package tlc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// central is Maven Central. MirrorVariable names the environment variable that replaces it.
const (
	central        = "https://repo1.maven.org/maven2"
	MirrorVariable = "TLC_MIRROR"
)

const (
	maxJarBytes      = 64 << 20
	downloadDeadline = 10 * time.Minute
)

// otherWays tells a user what to do when a download fails. Standard proxy variables are honoured.
const otherWays = "Behind a proxy, set HTTPS_PROXY; to use a mirror of Maven Central, set " + MirrorVariable +
	" to its URL (default " + central + "); on a machine without network, copy the file there and set TLC_JAR to its path"

// addressOf returns the URL of file in a Maven repository. coordinates are group:name:version.
func addressOf(repository, coordinates, file string) (string, error) {
	base, err := url.Parse(repository)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return "", fmt.Errorf("%s is %q, which is not the URL of a Maven repository such as %s", MirrorVariable, repository, central)
	}
	parts := strings.Split(coordinates, ":")
	return base.JoinPath(strings.ReplaceAll(parts[0], ".", "/"), parts[1], parts[2], file).String(), nil
}

// download writes what is at address to a new file. It does not check what it has got.
func download(ctx context.Context, address, file string) error {
	ctx, cancel := context.WithTimeout(ctx, downloadDeadline)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%w. Is this machine online? %s", err, otherWays)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %q. %s", address, response.Status, otherWays)
	}
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	n, err := io.Copy(to, io.LimitReader(response.Body, maxJarBytes))
	if err != nil {
		err = fmt.Errorf("%s was cut off after %d bytes (%w): start again. %s", address, n, err, otherWays)
	}
	return errors.Join(err, to.Close())
}
