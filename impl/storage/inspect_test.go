package storage

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
)

// TestReports compares whole reports. The path of the folder is cut out of them.
func TestReports(t *testing.T) {
	good := encode(me, promise(7, 5))
	damaged := encode(owner{n(1), nodes(1)}, promise(2, 1))
	damaged[12] ^= 0x0f
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", nil, `
record   there is none at record, and no sign that there has been one
in use   no
saves    WAY
to do    nothing, if this node has never run; if it has, do not start it: raise its epoch first
`},
		{"good", map[string]string{"record": string(good), "record.kept": "", "lock": "4711\n"}, `
record   record is in order
node     3 of [1 2 3 4 5]
epoch    7
grantee  5
in use   no
saves    WAY
to do    nothing
`},
		{"lost", map[string]string{"record.kept": ""}, `
record   record is lost: there is none, and the marker beside it says that there has been one
in use   no
saves    WAY
to do    put the file back if it was moved, but no older copy of it, and not one that other nodes have disowned; else raise the epoch, to more than the highest epoch in the records of all other members plus one; if any of them cannot be seen, to well above all that is known. With less there may be two leaders in one epoch. If its members come and go, do not raise what is lost: add a node with another id in its place (bully help member).
`},
		{"damaged", map[string]string{"record": string(damaged), "record.kept": ""}, `
record   record is damaged: its checksum is CHECKSUM
in use   no
saves    WAY
00000000  42 55 4c 4c 59 52 45 43  00 03 00 5a 0f 00 00 00  |BULLYREC...Z....|
00000010  00 00 00 02 00 00 00 00  00 00 00 00 00 00 00 00  |................|
00000020  00 00 00 01 00 00 00 00  00 00 00 00 00 00 00 00  |................|
00000030  00 00 00 00 00 00 00 00  00 00 00 01 00 00 00 00  |................|
00000040  00 00 00 00 00 01 00 00  00 00 00 00 00 00 00 00  |................|
CHECKSUM
to do    do not remove it, and put no older copy in its place; raise the epoch, to more than the highest epoch in the records of all other members plus one; if any of them cannot be seen, to well above all that is known. With less there may be two leaders in one epoch. If its members come and go, do not raise what is lost: add a node with another id in its place (bully help member).
`},
		{"company", map[string]string{
			"record": string(good), "record.kept": "", "record.tmp": "BULLY", "record.bad-1": "", "record.bad-2": string(good), "notes": "hello",
		}, `
record   record is in order
node     3 of [1 2 3 4 5]
epoch    7
grantee  5
in use   no
saves    WAY
beside   notes: does not belong here; foreign: it does not begin with "BULLYREC"
beside   record.bad-1: put aside by a repair, or disowned by other nodes; empty: it has no bytes
beside   record.bad-2: put aside by a repair, or disowned by other nodes; a good record: node 3 of [1 2 3 4 5], epoch 7, grantee 5
beside   record.tmp: left by a crash, will be overwritten; truncated: it has 5 bytes only
to do    nothing
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range c.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
			}
			report, err := Inspect(dir)
			require.NoError(t, err)
			require.NotEmpty(t, report.Saves)
			text := strings.Replace(report.String(), "saves    "+report.Saves+"\n", "saves    WAY\n", 1)
			lines := strings.Split(strings.ReplaceAll(text, dir+string(filepath.Separator), ""), "\n")
			for i, line := range lines {
				if before, _, ok := strings.Cut(line, "its checksum is"); ok {
					lines[i] = before + "its checksum is CHECKSUM"
				}
				if strings.HasPrefix(line, "00000050") {
					lines[i] = "CHECKSUM"
				}
			}
			require.Equal(t, strings.TrimPrefix(c.want, "\n"), strings.Join(lines, "\n"))
			names, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			require.Len(t, names, len(c.files), "Inspect leaves nothing behind")
		})
	}
}

func TestInspectWhileTheNodeRuns(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for epoch := range uint64(20) {
		require.NoError(t, f.Save(promise(spec.Epoch(epoch), 5)), "epoch %d", epoch)
		report, err := Inspect(dir)
		require.NoError(t, err)
		require.Nil(t, report.Problem)
		require.True(t, report.Locked, "the record is locked while the node runs")
		require.Equal(t, os.Getpid(), report.Holder)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600))
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.Contains(t, report.String(), "in use   by some process\n")
}

func TestInspectOfWhatIsBesideAndNoFile(t *testing.T) {
	dir := put(t, encode(me, promise(7, 5)))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "traces"), 0o700))
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.Equal(t, []Other{{"traces", "cannot be read: it is not a regular file, but a folder"}}, report.Others)
}

// TestReadFails lets the disk fail to read the record, and its marker.
func TestReadFails(t *testing.T) {
	for call := 1; call <= 2; call++ {
		disk := simdisk.New()
		disk.Put(recordName, encode(me, promise(7, 5)))
		disk.Put(recordName+".kept", nil)
		disk.Fault = at(call, simdisk.Fails)
		_, err := openDisk(disk)
		var wrong *RecordError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, unreadableKind, wrong.Kind)
		require.ErrorIs(t, err, simdisk.ErrFault)
		require.NotErrorIs(t, err, fs.ErrNotExist, "a record that cannot be read is not a missing one")
		require.ErrorContains(t, err, "let this user read it, or bring back the disk")
	}
}
