package localcluster

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fake is a node that only pretends: the highest that it has heard of lately leads, in an epoch above all that it has
// heard of itself. It is enough to see what the harness does to nodes, and whether it sees what they say.
type fake struct {
	id      int
	patient time.Duration

	mu      sync.Mutex
	heard   map[int]heard
	refused map[string]int
	leader  int
	epoch   uint64
	highest uint64 // the highest epoch ever heard of
	sent    int
	asked   bool // to resign
	changed chan struct{}
}

// heard is when a fake has heard from another, and in which epoch that one leads; 0 if it does not.
type heard struct {
	at    time.Time
	epoch uint64
}

// runFake runs a fake node until it is killed, or ends it with SIGTERM. It returns its exit status.
func runFake(args []string) int {
	f := &fake{patient: 400 * time.Millisecond, heard: map[int]heard{}, refused: map[string]int{}, changed: make(chan struct{})}
	flags := flag.NewFlagSet("fake", flag.ContinueOnError)
	flags.IntVar(&f.id, "id", 0, "")
	members := flags.String("members", "", "")
	data := flags.String("data", "", "")
	addr := flags.String("http", "", "")
	fails := flags.Bool("fails", false, "")
	ignores := flags.Bool("ignores-term", false, "")
	_ = flags.String("trace", "", "")
	guards := flags.Bool("guards", false, "")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *fails {
		fmt.Fprintln(os.Stderr, "this fake was told to fail")
		return 3
	}
	if *guards {
		return guardFake(slices.DeleteFunc(args, func(arg string) bool { return arg == "-guards" }))
	}
	// The epoch survives, so that a node that comes back has a higher one.
	_ = os.MkdirAll(*data, 0o755)
	if text, err := os.ReadFile(*data + "/epoch"); err == nil {
		f.highest, _ = strconv.ParseUint(string(text), 10, 64)
	}
	for _, m := range strings.Split(*members, ",") {
		id, at, _ := strings.Cut(m, "=")
		if id != strconv.Itoa(f.id) {
			go f.say(at)
			continue
		}
		listener, err := net.Listen("tcp", at)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		go f.listen(listener)
	}
	go f.choose(*data)
	http.HandleFunc("/events", f.events)
	http.HandleFunc("/status", f.status)
	http.HandleFunc("/resign", f.resign)
	go func() { fmt.Fprintln(os.Stderr, http.ListenAndServe(*addr, nil)) }()
	term, stuck := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	signal.Notify(stuck, stuckSignal)
	go func() {
		<-stuck
		f.mu.Lock() // for ever
	}()
	for {
		<-term
		if !*ignores {
			return 0
		}
	}
}

// guardFake runs a fake node, and kills it when it is told to: it knows of no other way to see that one hangs.
func guardFake(args []string) int {
	fake := exec.Command(os.Args[0], args...)
	fake.SysProcAttr = attributes()
	if err := fake.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = fake.Wait()
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	<-term
	return 0
}

// say tells the node at addr for ever that this one is there.
func (f *fake) say(addr string) {
	for {
		conn, err := net.Dial("tcp", addr)
		f.mu.Lock()
		if errors.Is(err, syscall.ECONNREFUSED) {
			f.refused[addr]++
		}
		f.mu.Unlock()
		if err == nil {
			// The other end says nothing; a Read ends when it closes.
			broken := make(chan struct{})
			go func() {
				defer close(broken)
				_, _ = conn.Read(make([]byte, 1))
			}()
			for err == nil {
				f.mu.Lock()
				epoch, highest := f.epoch, f.highest
				if f.leader != f.id {
					epoch = 0
				}
				f.sent++
				f.mu.Unlock()
				_, err = fmt.Fprintf(conn, "%d %d %d\n", f.id, epoch, highest)
				select {
				case <-broken:
					err = net.ErrClosed
				case <-time.After(10 * time.Millisecond):
				}
			}
			_ = conn.Close()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// listen hears the others.
func (f *fake) listen(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			for {
				var id int
				var epoch, highest uint64
				if _, err := fmt.Fscanln(conn, &id, &epoch, &highest); err != nil {
					return
				}
				f.mu.Lock()
				f.heard[id] = heard{time.Now(), epoch}
				if f.highest = max(f.highest, highest); epoch == f.epoch && f.leader == f.id {
					f.highest++ // two in one epoch: the fake knows no better
				}
				f.mu.Unlock()
			}
		}()
	}
}

// choose names the highest node that was heard lately, once it leads.
func (f *fake) choose(data string) {
	time.Sleep(f.patient) // Others that run already should be heard first.
	for ; ; time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		leader := f.id
		for id, h := range f.heard {
			if time.Since(h.at) < f.patient {
				leader = max(leader, id)
			}
		}
		epoch := f.heard[leader].epoch
		if leader == f.id {
			epoch = f.epoch
			if leader != f.leader || f.highest > f.epoch {
				f.highest++
				epoch = f.highest
			}
		}
		if epoch > 0 && (leader != f.leader || epoch != f.epoch) {
			f.leader, f.epoch = leader, epoch
			_ = os.WriteFile(data+"/epoch", []byte(strconv.FormatUint(f.highest, 10)), 0o644)
			close(f.changed)
			f.changed = make(chan struct{})
		}
		f.mu.Unlock()
	}
}

// events serves what the node says of itself.
func (f *fake) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		f.mu.Lock()
		leader, changed := strconv.Itoa(f.leader), f.changed
		e := map[string]any{"at": time.Now().UnixMicro(), "node": strconv.Itoa(f.id), "role": "follower",
			"leader": leader, "epoch": f.epoch, "leading": f.leader == f.id}
		if f.leader == 0 {
			e["leader"] = nil
		}
		if f.leader == f.id {
			e["role"] = "leader"
		}
		f.mu.Unlock()
		text, _ := json.Marshal(e)
		_, _ = fmt.Fprintf(w, ": a comment\nid: 1\ndata: %s\n\n", text)
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// resign says that the node cannot, as one does that has just lost its reign; and ends it when it is asked again.
func (f *fake) resign(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.asked {
		f.asked = true
		http.Error(w, "it does not lead", http.StatusConflict)
		return
	}
	_ = http.NewResponseController(w).Flush()
	os.Exit(0)
}

// status serves what the node has counted.
func (f *fake) status(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"id": strconv.Itoa(f.id), "refused": f.refused,
		"guard":    map[string]any{"kills": f.id - 1, "last": "its loop hangs"}, // the first has never been killed
		"counters": map[string]any{"saves": f.epoch, "pauses": f.id, "sent": map[string]int{"HEARTBEAT": f.sent}, "bytes_sent": 4 * f.sent}})
}

// fakes returns a cluster of fake nodes, which is closed when the test ends.
func fakes(t *testing.T, config Config) *Cluster {
	t.Helper()
	config.Command = append(fakeCommand(), config.Command...)
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// ids returns the numbers from a to b.
func ids(a, b int) []int {
	var all []int
	for ; a <= b; a++ {
		all = append(all, a)
	}
	return all
}

// without returns all ids but some.
func without(all []int, some ...int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(id int) bool { return slices.Contains(some, id) })
}
