package resource

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/spec"
)

// echo answers with what it was sent.
func echo(calls *int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*calls++
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("X-Echo", "yes")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(body)
	})
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		name     string
		method   string
		epochs   []string
		body     string
		status   int
		says     string
		admitted string // the header of the answer
		after    spec.Epoch
	}{
		{"a higher one", "POST", []string{"5"}, "hello", 201, "hello", "5", 5},
		{"the same", "PUT", []string{"4"}, "hello", 201, "hello", "4", 4},
		{"the bound", "PATCH", []string{"9007199254740991"}, "", 201, "", "9007199254740991", spec.MaxEpoch},
		{"a lower one", "POST", []string{"3"}, "hello", 412, "the write of epoch 3 is fenced: epoch 4 has been admitted", "4", 4},
		{"none", "DELETE", nil, "", 400, "this one has it 0 times", "4", 4},
		{"two", "POST", []string{"5", "5"}, "", 400, "this one has it 2 times", "4", 4},
		{"two in one", "POST", []string{"5, 5"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"empty", "POST", []string{""}, "", 400, "the header Bully-Epoch", "4", 4},
		{"a word", "POST", []string{"five"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"negative", "POST", []string{"-5"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"signed", "POST", []string{"+5"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"a fraction", "POST", []string{"5.0"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"leading zero", "POST", []string{"05"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"hexadecimal", "POST", []string{"0x5"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"nobody's", "POST", []string{"0"}, "", 400, "epoch 0 is nobody's reign", "4", 4},
		{"above the bound", "POST", []string{"9007199254740992"}, "", 400, "is above 2^53-1", "4", 4},
		{"far above the bound", "POST", []string{"99999999999999999999999"}, "", 400, "the header Bully-Epoch", "4", 4},
		{"too long", "POST", []string{"5"}, strings.Repeat("x", 101), 413, "cannot read the body", "4", 4},
		{"as long as may be", "POST", []string{"5"}, strings.Repeat("x", 100), 201, "xxx", "5", 5},
		{"a read", "GET", nil, "", 201, "", "", 4},
		{"a read with an old epoch", "HEAD", []string{"1"}, "", 201, "", "", 4},
		{"options", "OPTIONS", nil, "", 201, "", "", 4},
		{"a method of its own", "LOCK", nil, "", 400, "0 times", "4", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _ := newGuard(t, 4)
			calls := 0
			h := &Handler{Guard: g, Next: echo(&calls), MaxBody: 100}
			r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
			r.Header[EpochHeader] = c.epochs
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.Equal(t, c.status, w.Code, w.Body)
			require.Contains(t, w.Body.String(), c.says)
			require.Equal(t, c.admitted, w.Header().Get(AdmittedHeader))
			require.Equal(t, c.after, g.Admitted())
			if c.status == 201 {
				require.Equal(t, 1, calls)
				require.Equal(t, "yes", w.Header().Get("X-Echo"))
			} else {
				require.Zero(t, calls)
			}
		})
	}
}

func TestHandlerWhoseRegisterHasFailed(t *testing.T) {
	g, register := newGuard(t, 4)
	register.Err = errors.New("no space left on device")
	calls := 0
	h := &Handler{Guard: g, Next: echo(&calls)}
	for range 2 {
		r := httptest.NewRequest("POST", "/", nil)
		SetEpoch(r.Header, 5)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Contains(t, w.Body.String(), "no space left on device")
		require.Equal(t, "4", w.Header().Get(AdmittedHeader))
		register.Err = nil // the second time it would work again, and is not tried
	}
	require.Zero(t, calls)
}

func TestHandlerThatIsNotWhole(t *testing.T) {
	g, _ := newGuard(t, 4)
	for _, h := range []*Handler{{}, {Guard: g}, {Next: http.NotFoundHandler()}} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		require.Equal(t, http.StatusInternalServerError, w.Code)
	}
}

func TestHandlerWhoseNextFails(t *testing.T) {
	g, _ := newGuard(t, 4)
	h := &Handler{Guard: g, Next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints) // is no answer yet
		w.WriteHeader(http.StatusInsufficientStorage)
		w.WriteHeader(http.StatusOK) // too late
	})}
	r := httptest.NewRequest("POST", "/", nil)
	SetEpoch(r.Header, 6)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusInsufficientStorage, w.Code)
	require.EqualValues(t, 6, g.Admitted(), "the fence stays raised")

	h.Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	require.Panics(t, func() { h.ServeHTTP(httptest.NewRecorder(), r) })
	require.NoError(t, g.Admit(6, nothing), "the fence is not held")
}

func TestClientThatHasGone(t *testing.T) {
	g, _ := newGuard(t, 4)
	calls := 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "POST", "/", nil)
	SetEpoch(r.Header, 6)
	w := httptest.NewRecorder()
	(&Handler{Guard: g, Next: echo(&calls)}).ServeHTTP(w, r)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Zero(t, calls)
}

// TestOverTheNetwork writes through a real server: the old leader has sent half of its request, and stalls. The new
// one is not kept waiting, and when the rest of the old request comes it is refused.
func TestOverTheNetwork(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	g, _ := newGuard(t, 0)
	calls := 0
	server := httptest.NewServer(&Handler{Guard: g, Next: echo(&calls)})
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	send := func(e spec.Epoch, body io.Reader) (*http.Response, error) {
		r, err := http.NewRequest("POST", server.URL, body)
		if err != nil {
			return nil, err
		}
		SetEpoch(r.Header, e)
		response, err := client.Do(r)
		if err == nil {
			err = response.Body.Close()
		}
		return response, err
	}

	body, rest := io.Pipe()
	old := make(chan error, 1)
	go func() {
		response, err := send(33, body)
		if err == nil {
			err = CheckResponse(response)
		}
		old <- err
	}()
	_, err := rest.Write([]byte("half of ")) // returns when the client has sent it
	require.NoError(t, err)
	response, err := send(34, strings.NewReader("new"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, response.StatusCode)
	require.NoError(t, CheckResponse(response))
	_, err = rest.Write([]byte("a request"))
	require.NoError(t, err)
	require.NoError(t, rest.Close())
	require.Equal(t, &FencedError{Epoch: 33, Admitted: 34}, <-old)
	require.Equal(t, 1, calls)
}

func TestCheckResponse(t *testing.T) {
	request := httptest.NewRequest("POST", "/", nil)
	SetEpoch(request.Header, 5)
	for _, c := range []struct {
		name     string
		status   int
		admitted string
		request  *http.Request
		want     error
	}{
		{"fenced", 412, "7", request, &FencedError{5, 7}},
		{"fenced, without the request", 412, "7", nil, &FencedError{0, 7}},
		{"admitted", 200, "5", request, nil},
		{"a 412 of the handler behind", 412, "5", request, nil},
		{"somebody else's 412", 412, "", request, nil},
		{"not understood", 412, "many", request, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckResponse(&http.Response{StatusCode: c.status, Request: c.request,
				Header: http.Header{AdmittedHeader: []string{c.admitted}}})
			require.Equal(t, c.want, err)
			require.Equal(t, c.want != nil, errors.Is(err, ErrFenced))
		})
	}
}
