package storage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// BenchmarkSave is one save on the disk of the folder for temporary files: in place, as a new file, and the least that any can take, which is
// to write one block over itself and wait for the disk. They take turns, so that what else the machine does befalls all of them.
func BenchmarkSave(b *testing.B) {
	inPlace, err := Open(filepath.Join(b.TempDir(), "slots"), me.id, me.members)
	require.NoError(b, err)
	report, err := Inspect(filepath.Dir(inPlace.folder.Path()))
	require.NoError(b, err)
	b.Log("in place is: ", report.Saves)
	oldWay(b)
	renamed, err := Open(filepath.Join(b.TempDir(), "old"), me.id, me.members)
	require.NoError(b, err)
	block := make([]byte, 4096)
	floor, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	require.NoError(b, err)
	_, err = floor.Write(block)
	require.NoError(b, errors.Join(err, floor.Sync()))
	epoch := spec.Epoch(0)
	ways := []struct {
		name string
		save func() error
	}{
		{"in-place", func() error { return inPlace.Save(promise(epoch, 5)) }},
		{"new-file", func() error { return renamed.Save(promise(epoch, 5)) }},
		{"floor", func() error {
			block[0]++
			_, err := floor.WriteAt(block, 0)
			return errors.Join(err, syscall.Fdatasync(int(floor.Fd())))
		}},
	}
	took := make([][]time.Duration, len(ways))
	for b.Loop() {
		epoch++
		for i, way := range ways {
			began := time.Now()
			if err := way.save(); err != nil {
				b.Fatal(way.name, err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, way := range ways {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2])/1e3, way.name+"-µs")
	}
	require.NoError(b, errors.Join(inPlace.Close(), renamed.Close(), floor.Close()))
}
