package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// asNode makes this test program be the command.
const asNode = "TEST_AS_NODE"

func TestMain(m *testing.M) {
	if os.Getenv(asNode) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestParse: a node is told who it is, and says what cannot be.
func TestParse(t *testing.T) {
	n, err := parse("2 /tmp/x lan 100 127.0.0.1:1 127.0.0.1:2")
	if err != nil || n.id != 2 || n.groups != 100 || n.dir != "/tmp/x" || len(n.addresses) != 2 {
		t.Fatalf("%+v, %v", n, err)
	}
	for _, bad := range []string{"", "x d lan 1 a:1", "2 d lan 1 a:1", "0 d lan 1 a:1", "1 d lan x a:1"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if run([]string{"raft"}, nil, nil) == nil || run(nil, nil, nil) == nil {
		t.Error("a system that is none is taken")
	}
}

// TestSince: what has come before a moment is not told of it; and what is led again is told anew.
func TestSince(t *testing.T) {
	n, _ := parse("1 d lan 2 a:1 b:1")
	n.whole[0], n.whole[1] = true, true
	n.tell(0, 1)
	n.tell(1, 2)
	at := time.Now()
	if r := n.since(at); r.Known != 2 || r.Leading != 1 || r.Leads != 0 {
		t.Fatalf("%+v", r)
	}
	n.tell(1, 0)
	n.tell(1, 1)
	var out bytes.Buffer
	if err := n.answer(strings.NewReader("0\n"), &out); err != nil {
		t.Fatal(err)
	}
	if r := n.since(at); r.Known != 2 || r.Leading != 2 || r.Leads != 1 || r.First <= 0 || r.Last != r.First {
		t.Fatalf("%+v", r)
	}
}

// TestSystems runs each alone: it leads all that there is.
func TestSystems(t *testing.T) {
	for system, address := range map[string]string{"etcd": "127.0.0.1:17111", "dragonboat": "127.0.0.1:17112"} {
		command := exec.Command(os.Args[0], system)
		command.Env = append(os.Environ(), asNode+"=1", nodeOf+"=1 "+t.TempDir()+" lan 5 "+address)
		in, _ := command.StdinPipe()
		out, _ := command.StdoutPipe()
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		answers, began := json.NewDecoder(out), time.Now()
		for r := (report{}); r.Leading != 5 || r.Known != 5; {
			_, _ = in.Write([]byte("0\n"))
			if err := answers.Decode(&r); err != nil || time.Since(began) > time.Minute {
				t.Fatalf("%s: %+v, %v", system, r, err)
			}
		}
		_ = in.Close()
		if err := command.Wait(); err != nil {
			t.Fatal(system, err)
		}
	}
}
