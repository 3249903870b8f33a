package main_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// shelf is the store: a fence for each shard, and who wrote last.
type shelf struct {
	mu      sync.Mutex
	guards  map[string]*resource.Guard
	writer  map[string]string                // of each shard, the last
	led     map[string]map[spec.Epoch]string // of each shard, who wrote in which epoch
	epochs  map[string]spec.Epoch            // of each shard, the last that wrote
	wrong   []string
	fenced  int
	written int
	began   time.Time
	asked   uint64                  // writes
	ops     map[string][]history.Op // of some shards: what was asked, and what came of it
}

// isChecked reports whether what is asked of a shard is kept for a checker of histories: one shard in ten, or all of it would be gigabytes.
func isChecked(shard string) bool { return strings.HasSuffix(shard, "0") }

// calls notes that a write is asked for.
func (s *shelf) calls(shard string, r *http.Request) history.Op {
	body, _ := io.ReadAll(r.Body)
	by, _, _ := strings.Cut(string(body), " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	op := history.Op{Client: by, Kind: history.WriteOp, Resource: shard, Value: s.asked, Outcome: history.Done, Call: int64(time.Since(s.began))}
	_, _ = fmt.Sscan(r.Header.Get(resource.EpochHeader), &op.Epoch)
	return op
}

// returns notes what has come of it.
func (s *shelf) returns(op history.Op, w *codes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	op.Return = int64(time.Since(s.began))
	switch w.code {
	case 0, http.StatusOK:
	case http.StatusPreconditionFailed:
		s.fenced++
		op.Outcome = history.Fenced
		_, _ = fmt.Sscan(w.Header().Get(resource.AdmittedHeader), &op.Admitted)
	default:
		return // the client has gone, and nothing was written
	}
	if isChecked(op.Resource) {
		s.ops[op.Resource] = append(s.ops[op.Resource], op)
	}
}

// check has porcupine look at the history of each shard that has one.
func (s *shelf) check(t *testing.T) {
	for shard, ops := range s.ops {
		report, err := history.Check(history.Header{Source: "a service of many shards", Commit: "unknown"}, ops, history.Options{})
		require.NoError(t, err)
		require.NoError(t, report.Err(), shard)
		require.Equal(t, history.Linearizable, report.Verdict(), shard)
	}
}

func (s *shelf) guard(shard string) (*resource.Guard, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guards[shard] == nil {
		guard, err := resource.NewGuard(&resource.MemoryRegister{})
		if err != nil {
			return nil, err
		}
		s.guards[shard] = guard
	}
	return s.guards[shard], nil
}

// handler serves each shard behind its fence.
func (s *shelf) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shard := strings.TrimPrefix(r.URL.Path, "/")
		recorder, op := &codes{ResponseWriter: w}, s.calls(shard, r)
		next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.write(&op) })
		guard, err := s.guard(shard)
		if err != nil {
			http.Error(recorder, err.Error(), http.StatusInternalServerError)
			return
		}
		(&resource.Handler{Guard: guard, Next: next}).ServeHTTP(recorder, r)
		s.returns(op, recorder)
	})
}

// codes notes the status of an answer.
type codes struct {
	http.ResponseWriter
	code int
}

func (c *codes) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

// write is a write that the fence has admitted: nobody else has written in that epoch, and nobody in a later one.
func (s *shelf) write(op *history.Op) {
	shard, by, epoch := op.Resource, op.Client, op.Epoch
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.led[shard] == nil {
		s.led[shard] = map[spec.Epoch]string{}
	}
	if was := s.led[shard][epoch]; was != "" && was != by {
		s.wrong = append(s.wrong, fmt.Sprintf("OneLeaderPerEpoch: nodes %s and %s have written to %s in epoch %d", was, by, shard, epoch))
	}
	if epoch < s.epochs[shard] {
		s.wrong = append(s.wrong, fmt.Sprintf("the fence of %s has admitted epoch %d after %d", shard, epoch, s.epochs[shard]))
	}
	s.led[shard][epoch], s.epochs[shard], s.writer[shard] = by, epoch, by
	s.written++
}

// count returns how many writes were admitted.
func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// missing returns how many shards were not written to last by whom a plan says. It fails if something is wrong.
func (s *shelf) missing(t *testing.T, plan map[string]string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock() // though the test fails: handlers wait for it, and the end of the test for them
	require.Empty(t, s.wrong)
	for shard, id := range plan {
		if s.writer[shard] != id {
			n++
		}
	}
	return n
}

// differs returns the shards that were not written to last by the node of the plan, and by which.
func (s *shelf) differs(plan map[string]string) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for shard, id := range plan {
		if s.writer[shard] != id {
			all = append(all, fmt.Sprintf("%s by %q in epoch %d, not by %s", shard, s.writer[shard], s.epochs[shard], id))
		}
	}
	slices.Sort(all)
	return all[:min(len(all), 10)]
}

// forget forgets who wrote last: what is seen from now on is of now.
func (s *shelf) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.writer)
}
