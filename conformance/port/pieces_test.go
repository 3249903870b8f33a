package port_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// byes are ports that end in their own way after bye, and after the end of their input.
func byes(how string) error {
	in := bufio.NewScanner(os.Stdin)
	for id := 1; in.Scan(); id++ {
		fmt.Printf(`{"id":%d,"ok":true,"port":{"name":"bye","version":"1","language":"Go"},"protocol":1}`+"\n", id)
		if id == 1 {
			continue
		}
		switch how {
		case "bye, and 7":
			os.Exit(7)
		case "bye, and more":
			fmt.Println("good night")
		case "bye, and on":
			_, _ = io.Copy(io.Discard, os.Stdin)
			time.Sleep(time.Hour)
		}
		return nil
	}
	if how == "bye, and on" {
		time.Sleep(time.Hour)
	}
	return nil
}

// TestLeave ends ports, well or not.
func TestLeave(t *testing.T) {
	for _, c := range []struct {
		how  string
		bye  bool
		says string
		rest string
	}{
		{"model", true, "", "{\"id\":9,\"op\":\"reset\"}\n"}, {"model", false, "", `{"id":9,"op":"reset"}`},
		{"model", false, `it goes on writing after the end of its input, which is as good as bye: {"id":9,"ok":true}`, "{\"id\":9,\"op\":\"reset\"}\n"},
		{"model", true, "", ""}, {"model", false, "", ""}, {"bye", true, "", ""}, {"bye", false, "", ""},
		{"bye, and 7", true, "its exit status is 7 after bye, and must be 0", ""},
		{"bye, and more", true, "it goes on writing after bye: good night", ""},
		{"bye, and on", true, "it has not ended 0.4 s after bye", ""},
		{"bye, and on", false, "it has not ended 0.4 s after the end of its input", ""},
	} {
		p, err := start(t, c.how)
		require.NoError(t, err)
		within := time.Minute
		if c.how == "bye, and on" {
			within = 400 * time.Millisecond
		}
		err = p.Leave(c.bye, c.rest, within)
		if c.says == "" {
			require.NoError(t, err, c.how)
		} else {
			require.ErrorContains(t, err, c.says)
			require.False(t, p.Usable())
		}
		p.Close()
	}
}

// TestAskPieces asks in pieces, and ahead.
func TestAskPieces(t *testing.T) {
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	for _, cut := range []func([]byte) [][]byte{
		func(text []byte) [][]byte { return [][]byte{text} },
		func(text []byte) [][]byte { return [][]byte{text[:3], text[3:20], text[20:]} },
	} {
		answers, err := p.AskPieces([]port.Request{{Op: port.Reset}, {Op: port.Crash, Node: "a"}}, cut, time.Millisecond)
		require.NoError(t, err)
		require.Len(t, answers, 2)
	}
	answers, err := p.AskPieces([]port.Request{{Op: port.Reset}, {Op: "dance"}}, func(text []byte) [][]byte { return [][]byte{text[:len(text)-1], text[len(text)-1:]} }, 0)
	require.NoError(t, err)
	require.Len(t, answers, 2, "the first is answered while the second is not there as a whole")
	p.Kill()
	answers, err = p.AskPieces([]port.Request{{Op: port.Reset}}, func(text []byte) [][]byte { return [][]byte{text} }, 0)
	require.Error(t, err)
	require.Empty(t, answers)
	_, err = p.AskPieces(nil, nil, 0)
	require.Error(t, err, "it is of no more use")
}
