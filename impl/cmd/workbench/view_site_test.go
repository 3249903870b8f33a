package main

import (
	"bytes"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

// TestViewSite writes a site: it has the page, and for each run of the gallery and each tour a page with a title, what it is about, and a picture that is there.
func TestViewSite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "site")
	status, out, log := workbench(t, "view", "-site", dir, "-address", "https://example.org/bully")
	require.Equal(t, cli.OK, status, log)
	require.Empty(t, out)
	index, err := os.ReadFile(filepath.Join(dir, "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(index), `<meta property="og:image" content="https://example.org/bully/index.png">`)
	require.Equal(t, string(index[:200]), viewed(t)[:200], "it is the page")

	gallery := engine.Look()
	pages, err := filepath.Glob(filepath.Join(dir, "runs", "*.html"))
	require.NoError(t, err)
	require.Len(t, pages, len(gallery.Scenarios)+len(gallery.Golden)+len(gallery.Refused), "no two have one name")
	tours, err := viewer.Tours()
	require.NoError(t, err)
	told, err := filepath.Glob(filepath.Join(dir, "tours", "*.html"))
	require.NoError(t, err)
	require.Len(t, told, len(tours))
	for _, name := range append(pages, told...) {
		checkLinked(t, name)
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".png" {
			checkPicture(t, path)
		}
		return err
	}))
	brain, err := os.ReadFile(filepath.Join(dir, "runs", "split-brain.html"))
	require.NoError(t, err)
	require.Contains(t, string(brain), `content="0; url=../index.html#s=split-brain"`)
	require.Contains(t, string(brain), `<meta property="og:image" content="https://example.org/bully/runs/split-brain.png">`)
}

// checkLinked sees that a small page says what it is, and that what it names is there, by an address that is relative.
func checkLinked(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, want := range []string{
		`<title>[^<]{3,200} · Bully</title>`, `<meta name="description" content="[^"]{10,}">`, `<meta property="og:title" content="[^"]{3,}">`, `<meta property="og:description" content="[^"]{10,}">`,
		`<meta http-equiv="refresh" content="0; url=\.\./index\.html#(s|g|tour)=[\w.%-]+">`, `<meta property="og:image" content="https://example\.org/bully/runs/[\w.-]+\.png">`,
		`<a href="\.\./index\.html#(s|g|tour)=[\w.%-]+">`, `content="Who leads, from the beginning to the end: `,
	} {
		require.Regexp(t, want, string(text), name)
	}
	for _, found := range regexp.MustCompile(`(?:src|href)="([^"#]+)`).FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(found[1], "data:") {
			continue
		}
		require.NotContains(t, found[1], "//", "it is relative")
		_, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(found[1])))
		require.NoError(t, err, name)
	}
	require.NotContains(t, string(text), "ZgotmplZ")
}

// checkPicture sees that a picture is as large as is said, and not too many bytes; and that there is something on it.
func checkPicture(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Less(t, len(data), 60_000, name)
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, [2]int{1200, 630}, [2]int{picture.Bounds().Dx(), picture.Bounds().Dy()})
	seen := map[color.Color]bool{}
	for x := 0; x < 1200; x += 7 {
		for y := 0; y < 630; y += 7 {
			seen[picture.At(x, y)] = true
		}
	}
	require.Greater(t, len(seen), 4, name)
}

// TestPicture sees that a leader has the colour of its epoch, where and as long as it leads, and the highest node is at the top.
func TestPicture(t *testing.T) {
	t.Parallel()
	picture, err := png.Decode(bytes.NewReader(drawSketch([]string{"ffff", "22dd", "ss33"})))
	require.NoError(t, err)
	lane := func(node int) int { return 630 - 48 - (2*node+1)*89 }
	for _, c := range []struct {
		node, column int
		want         string
	}{{2, 3, "--epoch-3"}, {2, 0, "--stands"}, {1, 1, "--epoch-2"}, {1, 3, "--paper"}, {0, 2, "--edge"}} {
		at := picture.At(48+110+int(248.5*(float64(c.column)+0.8)), lane(c.node))
		require.Equal(t, light[c.want], at, "%s of node %d", c.want, c.node+1)
	}
	require.Equal(t, "Who leads, from the beginning to the end: 2, 3.", leadersOf([]string{"ffff", "22dd", "ss33"}))
	require.Equal(t, "Who leads, from the beginning to the end: nobody, 1 and 2.", leadersOf([]string{"f2", "d3"}))
	require.NotPanics(t, func() { drawSketch(nil); drawSketch([]string{""}) })
}

// TestPictureColours compares the colours of pictures with those of the page.
func TestPictureColours(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../traces/viewer/src/palette.css")
	require.NoError(t, err)
	page, _, _ := strings.Cut(string(text), "[data-theme='dark']")
	for name, is := range light {
		found := regexp.MustCompile(name + `: #([0-9a-f]{6})`).FindStringSubmatch(page)
		require.NotNil(t, found, name)
		rgb, err := strconv.ParseUint(found[1], 16, 32)
		require.NoError(t, err)
		require.Equal(t, hex(uint32(rgb)), is, name)
	}
}

// TestViewSiteIsRefused sees that what goes with no site is refused.
func TestViewSiteIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "site")
	for want, args := range map[string][]string{
		"-site writes all there is":           {"-site", dir, "failover"},
		"no other flag goes with it":          {"-site", dir, "-o", "x"},
		"give that too":                       {"-address", "https://example.org/"},
		`"example.org" is no address`:         {"-site", dir, "-address", "example.org"},
		`"https://a/?b" is no address`:        {"-site", dir, "-address", "https://a/?b"},
		`"javascript:1" is no address of a f`: {"-site", dir, "-address", "javascript:1"},
	} {
		status, _, log := workbench(t, append([]string{"view"}, args...)...)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, want)
	}
	_, err := os.Stat(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(dir, nil, 0o644))
	status, _, log := workbench(t, "view", "-site", dir)
	require.Equal(t, cli.Mismatch, status, log)
}
