package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// shared returns a folder as all nodes of a cluster share it.
func shared(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test.fence"), nil, 0o600))
	return dir
}

// newTestJob returns the job that flags describe.
func newTestJob(t testing.TB, x execFlags) *job {
	t.Helper()
	j, err := newJob(&x, "test")
	require.NoError(t, err)
	return j
}

// TestJobPeriods: periods begin at the same moments for everybody, and none is missing between two.
func TestJobPeriods(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return parsed
	}
	night := &job{every: 24 * time.Hour, offset: 150 * time.Minute}
	for now, want := range map[string]string{
		"2026-11-24T02:29:59Z":      "2026-11-23T02:30:00Z",
		"2026-11-24T02:30:00Z":      "2026-11-24T02:30:00Z",
		"2026-11-25T03:29:59+01:00": "2026-11-24T02:30:00Z",
	} {
		begin, next := night.period(at(now))
		require.Equal(t, at(want), begin, now)
		require.Equal(t, begin.Add(24*time.Hour), next)
	}
	begin, next := (&job{}).period(time.Now())
	require.True(t, begin.IsZero() && next.IsZero(), "a job without -every has no period: %s, %s", begin, next)
	rapid.Check(t, func(t *rapid.T) {
		j := &job{every: time.Duration(rapid.Int64Range(int64(time.Second), int64(1000*time.Hour)).Draw(t, "every"))}
		j.offset = time.Duration(rapid.Int64Range(0, int64(j.every)-1).Draw(t, "offset"))
		now := time.Unix(0, rapid.Int64Range(0, int64(100*365*24*time.Hour)).Draw(t, "now"))
		begin, next := j.period(now)
		require.False(t, now.Before(begin) && now.UnixNano() >= int64(j.offset), "the period of %s must not begin later, at %s", now, begin)
		require.True(t, now.Before(next), "the period after that of %s must begin later, not at %s", now, next)
		again, _ := j.period(next)
		require.Equal(t, next, again)
	})
}

// TestJobFollows: what is begun after each end of a run, at most once and at least once.
func TestJobFollows(t *testing.T) {
	t.Parallel()
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	today := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		last                jobRun
		once, again         state // what follows, with and without -retry
		attempt, attemptOne int
	}{
		{jobRun{}, claimed, claimed, 1, 1},
		{jobRun{State: claimed, Epoch: 4}, lost, claimed, 2, 1},
		{jobRun{State: claimed, Epoch: 5}, claimed, claimed, 1, 1}, // its own, of which it has not heard
		{jobRun{State: done}, done, done, 1, 1},
		{jobRun{State: failed, Status: 7}, failed, claimed, 2, 1},
		{jobRun{State: ended}, ended, claimed, 2, 1},
		{jobRun{State: lost}, lost, claimed, 2, 1},
		{jobRun{State: freed}, claimed, claimed, 2, 2},
		{jobRun{State: claimed, Epoch: 4, Period: today.Add(-time.Hour)}, claimed, claimed, 1, 1}, // of the period before
		{jobRun{State: claimed, Epoch: 4, Period: today.Add(time.Hour)}, claimed, claimed, 1, 1},  // of a clock that is ahead: nothing is begun
	} {
		if c.last.State != "" {
			c.last.Node, c.last.Attempt = one, 1
			if c.last.Period.IsZero() {
				c.last.Period = today
			}
		}
		for retry, want := range map[bool]state{false: c.once, true: c.again} {
			j := &job{every: time.Hour, retry: retry}
			next := j.follows(c.last, today, two, 5)
			require.Equal(t, want, next.State, "%+v with retry %v", c.last, retry)
			attempt := c.attempt
			if !retry {
				attempt = c.attemptOne
			}
			require.Equal(t, attempt, next.Attempt, "%+v with retry %v", c.last, retry)
			if next.State == claimed && next != c.last {
				require.Equal(t, jobRun{State: claimed, Period: today, Attempt: attempt, Node: two, Epoch: 5}, next)
			}
		}
	}
	ahead := jobRun{State: done, Period: today.Add(time.Hour), Node: one, Attempt: 1, Epoch: 9}
	require.Equal(t, ahead, (&job{every: time.Hour, retry: true}).follows(ahead, today, two, 5))
}

// TestJobAtMostOnce has leaders come and go in any order, also ones that were held up and act late: no period is begun twice, and with
// -retry none in the same reign, nor after it is done.
func TestJobAtMostOnce(t *testing.T) {
	t.Parallel()
	memory := "/dev/shm" // what a disk takes for a sync is not of interest here
	if _, err := os.Stat(memory); err != nil {
		memory = ""
	}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(memory, "job")
		require.NoError(t, err)
		defer func() { require.NoError(t, os.RemoveAll(dir)) }()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "test.fence"), nil, 0o600))
		if rapid.Bool().Draw(t, "server") {
			server := httptest.NewServer(newFenceServer(&resource.MemoryRegister{}))
			defer server.Close()
			dir = server.URL + "/jobs"
		}
		retry := rapid.Bool().Draw(t, "retry")
		j, err := newJob(&execFlags{once: "k", every: time.Hour, retry: retry, fence: dir}, "test")
		require.NoError(t, err)
		begun, ends := map[int64][]spec.Epoch{}, map[int64]bool{}
		running := map[spec.Epoch]jobRun{}
		highest := spec.Epoch(0)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			e := spec.Epoch(rapid.IntRange(1, 6).Draw(t, "epoch"))
			if r, runs := running[e]; runs {
				r.State = rapid.SampledFrom([]state{done, failed, ended}).Draw(t, "end")
				if j.note(r) == nil && r.State == done {
					ends[r.Period.Unix()] = true
				}
				delete(running, e)
				continue
			}
			period := time.Unix(3600*int64(rapid.IntRange(1, 3).Draw(t, "period")), 0).UTC()
			r, err := j.claim(period, spec.IntegerID(uint64(e)), e)
			if err != nil {
				require.ErrorIs(t, err, resource.ErrFenced)
				require.Less(t, e, highest)
				continue
			}
			require.GreaterOrEqual(t, e, highest)
			highest = e
			if r.State != claimed || r.Epoch != e {
				continue
			}
			running[e] = r
			require.False(t, ends[r.Period.Unix()], "the reign of epoch %d must not begin period %s, which is done", e, r.Period)
			begun[r.Period.Unix()] = append(begun[r.Period.Unix()], e)
		}
		if !retry {
			for period, epochs := range begun {
				require.Len(t, epochs, 1, "period %d", period)
			}
		}
	})
}

// TestJobStorage: storage that is not there, or holds something else, is an error that says what to do; nothing is claimed.
func TestJobStorage(t *testing.T) {
	t.Parallel()
	dir := shared(t)
	_, err := newJob(&execFlags{once: "k", fence: dir}, "other")
	require.ErrorContains(t, err, "make this file once: touch "+filepath.Join(dir, "other.fence"))
	j := newTestJob(t, execFlags{once: "k", fence: dir})
	last, err := j.read()
	require.NoError(t, err)
	require.Zero(t, last, "storage without a record has no last run")
	r, err := j.claim(time.Time{}, spec.IntegerID(1), 3)
	require.NoError(t, err)
	again, err := j.claim(time.Time{}, spec.IntegerID(1), 3)
	require.NoError(t, err)
	require.Equal(t, claimed, again.State, "its answer may have been lost")
	seen, err := j.read()
	require.NoError(t, err)
	require.Equal(t, r.Epoch, seen.Epoch)
	require.False(t, seen.At.IsZero(), "a claim says when it was made")

	held, err := resource.OpenFile(filepath.Join(dir, "once-k"))
	require.NoError(t, err)
	_, err = j.claim(time.Time{}, spec.IntegerID(1), 4)
	require.ErrorContains(t, err, "in use")
	_, err = j.read()
	require.NoError(t, err, "who looks on takes no lock")
	require.NoError(t, held.Write(5, []byte("{")))
	require.NoError(t, held.Close())
	_, err = j.claim(time.Time{}, spec.IntegerID(1), 4)
	require.ErrorIs(t, err, resource.ErrFenced)
	_, err = j.claim(time.Time{}, spec.IntegerID(1), 5)
	require.ErrorContains(t, err, "cannot be read")
	_, err = j.read()
	require.ErrorContains(t, err, "cannot be read")

	require.NoError(t, os.Remove(filepath.Join(dir, "test.fence")))
	for _, f := range []func() error{
		func() error { _, err := j.read(); return err },
		func() error { _, err := j.claim(time.Time{}, spec.IntegerID(1), 9); return err },
	} {
		require.ErrorIs(t, f(), os.ErrNotExist)
	}
}

// TestJobVerdict: a job that is done once ends all nodes when it is over, and says what to do if that is not well.
func TestJobVerdict(t *testing.T) {
	t.Parallel()
	j := &job{key: "k", fence: &folderFence{folder: "/f/once-k"}}
	for _, s := range []state{"", claimed, freed} {
		_, over := j.verdict(jobRun{State: s})
		require.False(t, over, "a job that is %q is not over", s)
	}
	how, over := j.verdict(jobRun{State: done})
	require.True(t, over, "a job that is done is over")
	require.NoError(t, how)
	for s, want := range map[state]string{failed: "has ended with status 7", ended: "had to end it", lost: "it is not known"} {
		how, over = j.verdict(jobRun{State: s, Status: 7})
		require.True(t, over, "a job that is %q is over without -retry", s)
		require.ErrorContains(t, how, want)
		require.ErrorContains(t, how, "start with -retry, or remove /f/once-k")
		_, over = (&job{retry: true}).verdict(jobRun{State: s})
		require.False(t, over, "with -retry a job that is %q is begun again", s)
		_, over = (&job{every: time.Hour}).verdict(jobRun{State: s})
		require.False(t, over, "with -every a job that is %q has a next period", s)
	}
	how, over = j.verdict(jobRun{State: done, Period: time.Unix(0, 0)})
	require.True(t, over, "a record with a period is none of a job without periods")
	require.ErrorContains(t, how, "give another KEY")
	for s, want := range map[state]string{claimed: "has claimed it", done: "has done it"} {
		require.Contains(t, (&jobRun{State: s}).text(), want)
	}
}

// TestWithin: storage that hangs is waited for as long as the reign lasts, and a moment longer.
func TestWithin(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	end()
	hangs := make(chan struct{})
	defer close(hangs)
	_, err := within(over, func() (int, error) { <-hangs; return 0, nil })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "the fence does not answer")
	n, err := within(over, func() (int, error) { return 7, errors.ErrUnsupported })
	require.Equal(t, 7, n)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

// fenceServer keeps what is PUT, and gives it to GET.
type fenceServer struct {
	mu   sync.Mutex
	kept map[string][]byte
}

// newFenceServer returns a server as exec -once wants one.
func newFenceServer(register resource.Register) http.Handler {
	guard, err := resource.NewGuard(register)
	if err != nil {
		panic(err)
	}
	return &resource.Handler{Guard: guard, Next: &fenceServer{kept: map[string][]byte{}}}
}

func (s *fenceServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPut {
		s.kept[r.URL.Path], _ = io.ReadAll(r.Body)
	} else if text, there := s.kept[r.URL.Path]; there {
		_, _ = w.Write(text)
	} else {
		http.NotFound(w, r)
	}
}

// TestJobServer: a server that is no fence, or does not answer well, is an error that says so, and shows no password.
func TestJobServer(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"ftp://x/y", "http:///x", "http://x/y?z", "http://%zz"} {
		_, err := newJob(&execFlags{once: "k", fence: where}, "test")
		require.ErrorAs(t, err, &cli.UsageError{}, where)
	}
	long := strings.Repeat("x", maxFenceRecord+1)
	for want, answers := range map[string]http.HandlerFunc{
		"it is no fence":             func(http.ResponseWriter, *http.Request) {},
		"403 Forbidden":              func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"is longer than 65536 bytes": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, long) },
		"the write of epoch 3 is fenced:": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(resource.AdmittedHeader, "9")
			w.WriteHeader(http.StatusPreconditionFailed)
		},
	} {
		server := httptest.NewServer(answers)
		j := newTestJob(t, execFlags{once: "k", fence: strings.Replace(server.URL, "//", "//me:secret@", 1)})
		_, err := j.claim(time.Time{}, spec.IntegerID(1), 3)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error()+j.fence.place(), "secret")
		server.Close()
		_, err = j.read()
		require.ErrorContains(t, err, "connect")
		require.NotContains(t, err.Error(), "secret")
	}
}

// TestJobServerUnsure: a claim that is not answered may be written late. The same reign begins nothing by it; the next raises the fence first.
func TestJobServerUnsure(t *testing.T) {
	t.Parallel()
	good := newFenceServer(&resource.MemoryRegister{})
	cut := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cut && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/once-k") {
			good.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		good.ServeHTTP(w, r)
	}))
	defer server.Close()
	j := newTestJob(t, execFlags{once: "k", fence: server.URL})
	_, err := j.claim(time.Time{}, spec.IntegerID(1), 3)
	require.ErrorIs(t, err, errUnsure)
	w := &worker{node: &node{logger: slog.New(slog.DiscardHandler)}, job: j}
	require.False(t, w.note(t.Context(), jobRun{State: done, Epoch: 3}), "a note that is not answered does not count as noted")
	cut = false
	r, err := j.claim(time.Time{}, spec.IntegerID(1), 4)
	require.NoError(t, err)
	require.Equal(t, done, r.State, "it was written all the same")
	require.ErrorIs(t, j.note(jobRun{State: done, Epoch: 3}), resource.ErrFenced)
}

// recordOf returns what is kept of a job.
func recordOf(t testing.TB, dir, key string) (r jobRun) {
	t.Helper()
	text, _, err := resource.ReadFile(filepath.Join(dir, "once-"+key))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}
