package resource

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// reseal returns a copy of data with a right checksum.
func reseal(data []byte) []byte {
	data = bytes.Clone(data)
	if end := len(data) - checksumSize; end >= 0 {
		binary.BigEndian.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
	}
	return data
}

// childFolder is the variable that makes this test program one that does nothing but write.
const childFolder = "BULLY_RESOURCE_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := writeForEver(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeForEver writes for rising epochs, and says each when Write has returned. It ends when nobody listens.
func writeForEver(dir string) error {
	f, err := OpenFile(dir)
	if err != nil {
		return err
	}
	_, epoch, err := f.Read()
	if err != nil {
		return err
	}
	for {
		epoch++
		if err := f.Write(epoch, fmt.Appendf(nil, "value of %d", epoch)); err != nil {
			return err
		}
		if _, err := fmt.Println(epoch); err != nil {
			return nil
		}
	}
}

// TestKill kills a process that writes, with signal 9 at random moments: value and epoch belong together, and are at
// least what it said last.
func TestKill(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	dir, durable := t.TempDir(), spec.Epoch(0)
	const rounds = 30
	for range rounds {
		command := exec.Command(program)
		command.Env = append(os.Environ(), childFolder+"="+dir)
		pipe, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		output, waitFor := bufio.NewReader(pipe), 1+rand.IntN(6)
		for said := 0; ; said++ {
			if said == waitFor {
				time.Sleep(rand.N(2 * time.Millisecond))
				require.NoError(t, command.Process.Kill())
			}
			line, err := output.ReadString('\n')
			if err != nil {
				break
			}
			_, err = fmt.Sscan(line, &durable)
			require.NoError(t, err, line)
		}
		_ = command.Wait() // says that it was killed
		f, err := OpenFile(dir)
		require.NoError(t, err)
		value, epoch, err := f.Read()
		require.NoError(t, err)
		require.GreaterOrEqual(t, epoch, durable)
		require.LessOrEqual(t, epoch, durable+1)
		if epoch > 0 {
			require.Equal(t, fmt.Sprintf("value of %d", epoch), string(value))
		}
		if epoch > 1 {
			require.ErrorIs(t, f.Write(epoch-1, nil), ErrFenced)
		}
		durable = epoch
		require.NoError(t, f.Close())
	}
	require.GreaterOrEqual(t, durable, spec.Epoch(rounds), "the processes have lived long enough to write")
}
