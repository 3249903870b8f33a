package localcluster

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// The resources of the test, by their paths. The last has no fence, so that the checks have something to refuse.
const (
	guarded  = "guard" // an epoch that is kept apart from what it guards
	inFile   = "file"  // epoch and value in one file
	unfenced = "open"
)

var resources = []string{guarded, inFile, unfenced}

// runResource serves the resources at an address, as "folder address" says, until it is killed. It comes back with what is
// in the folder. It loses requests and answers, and is slow at times.
func runResource(arguments string) int {
	dir, addr, _ := strings.Cut(arguments, " ")
	handler, err := openResources(dir)
	if err == nil {
		err = http.ListenAndServe(addr, troubled(handler))
	}
	_, _ = fmt.Fprintln(os.Stderr, "resource:", err)
	return 1
}

// openResources opens what is in a folder.
func openResources(dir string) (http.Handler, error) {
	mux := http.NewServeMux()
	register, err := resource.OpenRegister(filepath.Join(dir, guarded))
	if err != nil {
		return nil, err
	}
	guard, err := resource.NewGuard(register)
	if err != nil {
		return nil, err
	}
	mux.Handle("/"+guarded, &resource.Handler{Guard: guard, Next: &note{path: filepath.Join(dir, guarded+".note")}})
	file, err := resource.OpenFile(filepath.Join(dir, inFile))
	if err != nil {
		return nil, err
	}
	mux.HandleFunc("GET /"+inFile, func(w http.ResponseWriter, _ *http.Request) {
		value, epoch, err := file.Read()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintf(w, "%d %s", epoch, value)
	})
	mux.HandleFunc("POST /"+inFile, func(w http.ResponseWriter, r *http.Request) {
		err := file.Write(epochOf(r), []byte(r.FormValue("value")))
		if fenced, ok := errors.AsType[*resource.FencedError](err); ok {
			w.Header().Set(resource.AdmittedHeader, strconv.FormatUint(uint64(fenced.Admitted), 10))
			w.WriteHeader(http.StatusPreconditionFailed)
		} else if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.Handle("/"+unfenced, &note{path: filepath.Join(dir, unfenced+".note")})
	return mux, nil
}

func epochOf(r *http.Request) spec.Epoch {
	e, _ := strconv.ParseUint(r.Header.Get(resource.EpochHeader), 10, 64)
	return spec.Epoch(e)
}

// note is a value and its epoch, in a file, without a fence.
type note struct {
	mu   sync.Mutex
	path string
}

func (n *note) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.Method == http.MethodGet {
		text, _ := os.ReadFile(n.path) // none at first
		_, _ = w.Write(text)
		return
	}
	err := os.WriteFile(n.path+".new", fmt.Appendf(nil, "%d %s", epochOf(r), r.FormValue("value")), 0o600)
	if err == nil {
		err = os.Rename(n.path+".new", n.path)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

// troubled puts an unreliable network before a handler.
func troubled(next http.Handler) http.Handler {
	nap := func() {
		if rand.IntN(10) == 0 {
			time.Sleep(rand.N(40 * time.Millisecond))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nap()
		if rand.IntN(40) == 0 {
			panic(http.ErrAbortHandler) // the request is lost
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		nap()
		if rand.IntN(12) == 0 {
			panic(http.ErrAbortHandler) // the answer is
		}
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// runLeader is the work of a leader: it writes to the resources in turn, for the epoch of the reign that it is started in,
// until it is ended. It is deaf to refusals (R38.4), so that there are late writes. Before and after each write it tells
// the recorder, at "recorder resources".
func runLeader(arguments string) int {
	recorder, url, _ := strings.Cut(arguments, " ")
	client := &http.Client{Timeout: 10 * time.Second}
	about := fmt.Sprintf("node=%s&epoch=%s&pid=%d", os.Getenv("BULLY_NODE"), os.Getenv(epochVariable), os.Getpid())
	epoch, err := strconv.ParseUint(os.Getenv(epochVariable), 10, 64)
	if err != nil {
		return 1
	}
	for n := 0; ; n++ {
		name := resources[n%len(resources)]
		id, err := ask(client, http.MethodPost, recorder+"/begin?"+about+"&resource="+name, 0)
		if err != nil {
			return 1
		}
		time.Sleep(rand.N(4 * time.Millisecond)) // between the decision and the request, it may be stopped
		outcome := string(history.Done)
		switch _, err := ask(client, http.MethodPost, url+"/"+name+"?value="+id, spec.Epoch(epoch)); {
		case errors.Is(err, resource.ErrFenced):
			outcome = string(history.Fenced)
			if fenced, ok := errors.AsType[*resource.FencedError](err); ok {
				outcome += fmt.Sprintf("&admitted=%d", fenced.Admitted)
			}
		case err != nil:
			outcome = string(history.Unknown)
		}
		if _, err := ask(client, http.MethodPost, recorder+"/end?id="+id+"&outcome="+outcome, 0); err != nil {
			return 1
		}
	}
}

// ask makes a request, and returns the text of the answer. All but 200 is an error.
func ask(client *http.Client, method, url string, epoch spec.Epoch) (string, error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return "", err
	}
	if epoch > 0 {
		resource.SetEpoch(request.Header, epoch)
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if fenced := resource.CheckResponse(response); fenced != nil {
		return "", fenced
	}
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return string(text), err
}

// recorder keeps what clients do, by the one clock of this process. An operation is called before it leaves its client, and
// has returned after the answer came; one whose client was killed has not returned.
type recorder struct {
	mu      sync.Mutex
	begin   time.Time
	ops     []history.Op   // the value of a write is its place, from 1
	pids    map[string]int // of the newest writer of each node
	changed chan struct{}
}

func (r *recorder) now() int64 { return int64(time.Since(r.begin)) }

// add adds an operation.
func (r *recorder) add(op history.Op) (id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, op)
	if op.Kind == history.WriteOp {
		r.ops[len(r.ops)-1].Value = uint64(len(r.ops))
	}
	return len(r.ops)
}

// ServeHTTP takes what writers say.
func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/begin" {
		epoch, _ := strconv.ParseUint(q.FormValue("epoch"), 10, 64)
		pid, _ := strconv.Atoi(q.FormValue("pid"))
		id := r.add(history.Op{Client: q.FormValue("node"), Kind: history.WriteOp, Epoch: spec.Epoch(epoch), Resource: q.FormValue("resource"),
			Outcome: history.Unknown, Call: r.now(), Return: history.Never})
		r.mu.Lock()
		r.pids[q.FormValue("node")] = pid
		r.mu.Unlock()
		_, _ = fmt.Fprint(w, id)
		return
	}
	id, err := strconv.Atoi(q.FormValue("id"))
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || id < 1 || id > len(r.ops) {
		http.Error(w, "no such operation", http.StatusBadRequest)
		return
	}
	op := &r.ops[id-1]
	if op.Outcome = history.Outcome(q.FormValue("outcome")); op.Outcome == history.Unknown {
		return
	}
	op.Return = r.now()
	admitted, _ := strconv.ParseUint(q.FormValue("admitted"), 10, 64)
	op.Admitted = spec.Epoch(admitted)
	close(r.changed)
	r.changed = make(chan struct{})
}

// until waits until some operation is as wanted, which is asked after each write, and reports whether one was.
func (r *recorder) until(t *testing.T, most time.Duration, wanted func(op *history.Op) bool) bool {
	t.Helper()
	late := within(t, most)
	for {
		r.mu.Lock()
		found, changed := slices.ContainsFunc(r.ops, func(op history.Op) bool { return wanted(&op) }), r.changed
		r.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-changed:
		case <-late.Done():
			return false
		}
	}
}

// read reads the resources, and asks the nodes whom they follow, until stop is closed. What is not answered tells nothing.
func (r *recorder) read(c *Cluster, url string, stop <-chan struct{}) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(rand.N(4 * time.Millisecond)):
		}
		op := history.Op{Client: "reader", Kind: history.ReadOp, Resource: resources[n%len(resources)], Call: r.now()}
		text, err := ask(client, http.MethodGet, url+"/"+op.Resource, 0)
		op.Return = r.now()
		if err == nil {
			_, _ = fmt.Sscan(text, &op.Epoch, &op.Value) // nothing at first
			r.add(op)
		}
		if n%5 > 0 {
			continue
		}
		id := 1 + n/5%len(c.nodes)
		view := c.View().Nodes[id-1] // what the node has said last; it was true at some time before
		if view.Heard && view.Leader != 0 {
			r.add(history.Op{Client: strconv.Itoa(id), Kind: history.FollowedOp, Epoch: spec.Epoch(view.Epoch),
				Leader: spec.IntegerID(uint64(view.Leader)), Call: 0, Return: r.now()})
		}
	}
}
