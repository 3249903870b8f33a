//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// procedures has a test for each section of the page that has commands: it does what the section is about, follows it, and looks whether
// that has helped.
var procedures = map[string]func(t testing.TB, section string){
	"What is wrong?":                         func(t testing.TB, section string) { fixed(t).follow(section) },
	"A node that hangs":                      choosesProfile, // it is followed, and all is well
	"Choosing a profile":                     choosesProfile,
	"Two nodes and a witness":                twoAndWitness,
	"Upgrading":                              upgrades,
	"First certificates":                     firstCertificates,
	"Renewing a certificate":                 renewsCertificate,
	"Replacing an authority without a pause": stolenAuthority, // in the end what is of the old one is of no use either
	"A stolen authority":                     stolenAuthority,
	"A lost disk, members fixed":             lostDiskFixed,
	"A lost disk, members change":            lostDiskChanging,
	"Many groups whose members change":       manyGroups,
	"A member that goes and comes back":      goesAndComesBack,
	"The same id twice":                      sameIDTwice,
	"Quorum lost for good, members change":   lostQuorumChanging,
	"Quorum lost for good, members fixed":    lostQuorumFixed,
	"New addresses, members fixed":           newAddressesFixed,
	"New addresses, members change":          newAddressesChanging,
}

// TestOperating follows every section of impl/OPERATING.md that has commands.
func TestOperating(t *testing.T) {
	t.Parallel()
	var sections []string
	for _, b := range page(t)[1:] { // the first one has the variables
		if !slices.Contains(sections, b.heading) {
			sections = append(sections, b.heading)
		}
	}
	for _, section := range sections {
		require.Contains(t, procedures, section, "commands that no test runs")
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			procedures[section](t, section)
		})
	}
	require.Len(t, sections, len(procedures), "the page has no commands for some of the tests")
}

func choosesProfile(t testing.TB, section string) {
	h := fixed(t)
	h.follow(section)
	h.agree()
}

func twoAndWitness(t testing.TB, section string) {
	h := newHosts(t, "1", "2", "3")
	h.settle()
	h.follow(section)
	h.agree()
	h.kill("2")
	until(t, "1 leads on, with the witness", func() bool {
		_, text := fetch(h.at("10.0.0.1:8000"), "/status")
		return strings.Contains(text, `"leading":true`)
	})
}

// upgrades goes over to another program one node after the other, and then all at once.
func upgrades(t testing.TB, section string) {
	for i := range of(t, section) {
		h := fixed(t)
		h.followBlock(section, i)
		h.agree()
		for _, id := range h.all {
			require.FileExists(t, filepath.Join(h.root, id, "new"), "the new program runs at %s", id)
		}
	}
}

func firstCertificates(t testing.TB, section string) {
	h := newHosts(t, "1", "2", "3")
	h.settle("1", "2", "3")
	require.NoError(t, os.RemoveAll(h.path(office, "")))
	require.NoError(t, os.Mkdir(h.path(office, ""), 0o700))
	h.follow(section)
	h.agree()
}

// renewsCertificate renews one that is good, while the node runs; and then one that has expired, with which it does not start.
func renewsCertificate(t testing.TB, section string) {
	h := newHosts(t, "1", "2", "3")
	made(t, "node", "-ca", h.path(office, "ca"), "-cluster", "jobs", "-id", "3", "-dir", filepath.Join(h.root, "3/etc/bully"), "-renew", "-days", "100")
	h.settle("1", "2", "3")
	h.startAll()
	expires := regexp.MustCompile(`"certificate_expires":"[^"]*"`)
	of := func() string {
		_, text := fetch(h.at("10.0.0.3:8000"), "/status")
		return expires.FindString(text)
	}
	before := of()
	require.NotEmpty(t, before, "node 3 says when its certificate expires")
	h.follow(section)
	until(t, "the node has another", func() bool { return of() != before })

	h.serve("3", "stop")
	h.expire("3")
	h.serve("3", "start")
	require.Equal(t, 1, h.service["3"].wait())
	require.Contains(t, h.log["3"].String(), "has expired")
	h.follow(section)
	h.agree()
}

// expire gives a node a certificate of its authority that has ended.
func (h *hosts) expire(id string) {
	h.t.Helper()
	block := func(name string) []byte {
		text, err := os.ReadFile(h.path(office, name))
		require.NoError(h.t, err)
		found, _ := pem.Decode(text)
		return found.Bytes
	}
	authority, err := x509.ParseCertificate(block("ca/ca.crt"))
	require.NoError(h.t, err)
	key, err := x509.ParsePKCS8PrivateKey(block("ca/ca.key"))
	require.NoError(h.t, err)
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(h.t, err)
	name, err := url.Parse("bully://jobs/" + id)
	require.NoError(h.t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), URIs: []*url.URL{name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, authority, &own.PublicKey, key)
	require.NoError(h.t, err)
	ownDER, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(h.t, err)
	for file, b := range map[string]*pem.Block{"node.crt": {Type: "CERTIFICATE", Bytes: der}, "node.key": {Type: "PRIVATE KEY", Bytes: ownDER}} {
		require.NoError(h.t, os.WriteFile(filepath.Join(h.root, id, "etc/bully", file), pem.EncodeToMemory(b), 0o600))
	}
}

func stolenAuthority(t testing.TB, section string) {
	h := fixed(t)
	stolen := filepath.Join(t.TempDir(), "stolen")
	require.NoError(t, os.CopyFS(stolen, os.DirFS(filepath.Join(h.root, "1/etc/bully"))))
	h.follow(section)
	h.agree()

	h.serve("1", "stop")
	require.NoError(t, os.RemoveAll(filepath.Join(h.root, "1/etc/bully")))
	require.NoError(t, os.CopyFS(filepath.Join(h.root, "1/etc/bully"), os.DirFS(stolen)))
	h.serve("1", "start")
	until(t, "who has the old certificate is kept out", func() bool {
		return strings.Contains(h.log["1"].String(), "not connected") && strings.Contains(h.log["2"].String(), "unknown authority")
	})
	code, _ := fetch(h.at("10.0.0.1:8000"), "/leader")
	require.NotEqual(t, 200, code)
}

// lostDiskFixed has a disk wiped, and then, after the page was followed, one that was set back to a copy of before.
func lostDiskFixed(t testing.TB, section string) {
	h := fixed(t)
	h.kill("3")
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(h.data("3"))))
	h.serve("3", "start")
	h.agree()
	for _, from := range []string{t.TempDir(), copied} {
		h.kill("3")
		require.NoError(t, os.RemoveAll(h.data("3")))
		require.NoError(t, os.CopyFS(h.data("3"), os.DirFS(from)))
		h.serve("3", "start")
		require.Equal(t, 1, h.service["3"].wait())
		require.Contains(t, h.log["3"].String(), "the disk of this node is lost, or an old copy")
		if from == copied {
			break // it was raised to the same epoch before, and its record is put aside
		}
		h.follow(section)
		require.Greater(t, h.agree(), uint64(1_000_000))
	}
}

// lose wipes the disk of node 3, whose members change.
func (h *hosts) lose() {
	h.kill("3")
	require.NoError(h.t, os.RemoveAll(h.data("3")))
	require.NoError(h.t, os.Mkdir(h.data("3"), 0o700))
}

// lostDiskChanging replaces node 3 by one on another machine, and then on its own.
func lostDiskChanging(t testing.TB, section string) {
	h := changing(t)
	h.lose()
	h.all = append(h.all[:2], "4")
	h.machine("4")
	h.certify("4", "4")
	h.settle()
	h.followBlock(section, 0)
	h.agree()

	h = changing(t)
	h.kill("3") // whatever is on its disk is not to be trusted
	h.certify("3", "4")
	h.followBlock(section, 1)
	h.agree()
}

// manyGroups replaces a node of many groups that runs, and one whose disk is lost, and goes over to another program.
func manyGroups(t testing.TB, section string) {
	for i, prepare := range []func(*hosts){func(*hosts) {}, (*hosts).lose, nil} {
		h := changing(t, "BULLY_GROUP=orders-[0-9]")
		if prepare != nil {
			prepare(h)
			h.all = append(h.all, "4")
			h.machine("4")
			h.certify("4", "4")
			h.settle()
			h.all = []string{"1", "2", "4"}
		}
		h.followBlock(section, i)
		h.agree()
		for _, at := range h.all {
			placed(t, h.at("10.0.0."+at+":8000"), func(p *web.Placed) bool { return len(p.Changing) == 0 && len(p.Members) == 3 && asPlanned(10)(p) })
			if prepare == nil {
				require.FileExists(t, filepath.Join(h.root, at, "new"), "the new program runs at %s", at)
			}
		}
		if i == 0 {
			require.Equal(t, 1, h.service["3"].wait(), "it has ended by itself")
		}
	}
}

func goesAndComesBack(t testing.TB, section string) {
	h := changing(t)
	h.follow(section)
	h.agree()
}

// sameIDTwice runs a clone of node 3 beside it: one that knows less, as it was made before node 3 ran as it does, and is not heeded;
// and one that knows as much, and so takes the place of node 3, which ends.
func sameIDTwice(t testing.TB, section string) {
	h := fixed(t)
	h.machine("4")
	h.serve("3", "stop")
	h.clone()
	h.serve("3", "start")
	h.agree()
	h.serve("2", "stop") // it might refuse the clone first, each time, and then node 1 would never see it
	h.serve("4", "start")
	require.Equal(t, 1, h.service["4"].wait())
	until(t, "node 1 says it", func() bool { return strings.Contains(h.log["1"].String(), "two programs run as one node") })
	h.serve("1", "restart") // if it has refused the clone twice it warns of a lost disk for a minute
	h.serve("2", "start")
	h.agree()
	h.follow(section)
	h.agree()
	require.NoDirExists(t, h.data("4"))

	h.serve("3", "restart")
	h.agree()
	for h.clone(); ; h.clone() { // node 3 may have told more before the clone has begun
		h.serve("4", "start")
		if endsFirst(t, h.service["3"], h.service["4"]) {
			break
		}
	}
	require.Equal(t, 1, h.service["3"].wait())
	h.run("4", "systemctl stop bully")
	h.followBlock("A lost disk, members fixed", 1)
	h.agree()
}

// endsFirst waits until one of two processes ends, and reports whether it is the first.
func endsFirst(t testing.TB, a, b *process) bool {
	t.Helper()
	until(t, "node 3 or its clone ends", func() bool {
		return !proctest.Alive(a.cmd.Process.Pid) || !proctest.Alive(b.cmd.Process.Pid)
	})
	return !proctest.Alive(a.cmd.Process.Pid)
}

// clone makes machine 4 a clone of machine 3, at other addresses.
func (h *hosts) clone() {
	for _, folder := range []string{"etc/bully", "var/lib/bully"} {
		require.NoError(h.t, os.RemoveAll(filepath.Join(h.root, "4", folder)))
		require.NoError(h.t, os.CopyFS(filepath.Join(h.root, "4", folder), os.DirFS(filepath.Join(h.root, "3", folder))))
	}
	file := filepath.Join(h.root, "4/etc/bully/bully.env")
	text, err := os.ReadFile(file)
	require.NoError(h.t, err)
	moved := strings.NewReplacer(h.data("3"), h.data("4"), h.at("10.0.0.3:8000"), h.at("10.0.0.4:8000")).Replace(string(text))
	require.NoError(h.t, os.WriteFile(file, []byte(moved+"BULLY_LISTEN="+h.at("10.0.0.4:7000")+"\n"), 0o600))
}

// loseQuorum takes two of three nodes away, with their disks.
func (h *hosts) loseQuorum() {
	h.agree()
	for _, id := range []string{"2", "3"} {
		h.kill(id)
		require.NoError(h.t, os.RemoveAll(h.data(id)))
		require.NoError(h.t, os.Mkdir(h.data(id), 0o700))
	}
	h.rename()
}

// rename gives all machines certificates of the cluster jobs2.
func (h *hosts) rename() {
	for _, id := range h.all {
		made(h.t, "node", "-ca", h.path(office, "ca"), "-cluster", "jobs2", "-id", id, "-dir", filepath.Join(h.root, id, "etc/bully"), "-renew")
	}
}

func lostQuorumChanging(t testing.TB, section string) {
	h := changing(t)
	h.loseQuorum()
	status, _, log := bully(t, "member", "remove", "-force", "-timeout", "100ms", "-http", h.at("10.0.0.1:8000"), "2")
	require.Equal(t, 1, status)
	require.Contains(t, log, "begin a new cluster: see bully help init")
	h.follow(section)
	require.Greater(t, h.agree(), uint64(1_000_000))
}

func lostQuorumFixed(t testing.TB, section string) {
	h := fixed(t)
	h.loseQuorum()
	h.follow(section)
	require.Greater(t, h.agree(), uint64(1_000_000))
}

func newAddressesFixed(t testing.TB, section string) {
	h := fixed(t)
	before := h.agree()
	h.follow(section)
	require.GreaterOrEqual(t, h.agree(), before)
	_, text := fetch(h.at("10.0.0.1:8000"), "/status")
	require.NotEmpty(t, text, "node 1 answers at its new address")
	require.Contains(t, h.log["3"].String(), "listens="+h.at("10.0.1.3:7000"))
}

func newAddressesChanging(t testing.TB, section string) {
	h := changing(t)
	h.follow(section)
	h.agree()
	require.Contains(t, h.log["1"].String(), "listens="+h.at("10.0.1.1:7000"))
	h.run("1", "systemctl restart bully")
	h.agree()
}
