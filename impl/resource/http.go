package resource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"

	"github.com/seed-fdf591db/bully/spec"
)

// The headers. A request that writes carries the epoch of its writer's reign, in digits, once. Every answer to one
// says the highest epoch that the resource has admitted.
const (
	EpochHeader    = "Bully-Epoch"
	AdmittedHeader = "Bully-Epoch-Admitted"
)

// defaultMaxBody is the greatest length of a request's body in bytes, 1 MiB, if Handler.MaxBody is 0.
const defaultMaxBody = 1 << 20

// Handler is an http.Handler that puts a Guard before another one.
//
//	request                                  answer
//	GET, HEAD, OPTIONS                       that of Next: what only reads is not fenced
//	else: no Bully-Epoch, or more than one   400
//	      not an epoch from 1 to 2^53−1      400
//	      body longer than MaxBody           413
//	      epoch below the highest admitted   412, and Next is not called
//	      the register has failed            503, and Next is not called
//	      else                               that of Next, whatever it is: the fence is raised before
//
// Next is called within Guard.Admit: one request at a time. So that no slow client holds the fence, the body is read
// whole before that, and the answer is kept back until after. Next therefore cannot stream, flush or hijack. Set
// ReadTimeout and WriteTimeout of the server, and give Next a deadline of its own for what it does.
type Handler struct {
	Guard   *Guard
	Next    http.Handler
	MaxBody int64 // the greatest length of a body in bytes; 0 for 1 MiB
}

var _ http.Handler = (*Handler)(nil)

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.Guard == nil || h.Next == nil {
		http.Error(w, "resource: the Handler has no Guard, or no Next", http.StatusInternalServerError)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		h.Next.ServeHTTP(w, r)
		return
	}
	e, err := requestEpoch(r.Header)
	if err != nil {
		h.refuse(w, err, http.StatusBadRequest)
		return
	}
	body, err := h.readBody(w, r)
	if err != nil {
		status := http.StatusBadRequest
		if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
			status = http.StatusRequestEntityTooLarge
		}
		h.refuse(w, fmt.Errorf("resource: cannot read the body: %w", err), status)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := &answer{header: http.Header{}}
	err = h.Guard.Admit(e, func() error {
		if err := r.Context().Err(); err != nil {
			return errGone // nobody would learn that it was written
		}
		h.Next.ServeHTTP(answer, r)
		return nil
	})
	switch {
	case err == nil:
		answer.header.Set(AdmittedHeader, strconv.FormatUint(uint64(e), 10))
		answer.send(w)
	case errors.Is(err, ErrFenced):
		h.refuse(w, err, http.StatusPreconditionFailed)
	default:
		h.refuse(w, err, http.StatusServiceUnavailable)
	}
}

// errGone is the answer to a client that has gone while others wrote.
var errGone = errors.New("resource: the client has gone: nothing was written")

// refuse answers with an error, and the epoch that the resource has admitted.
func (h *Handler) refuse(w http.ResponseWriter, err error, status int) {
	w.Header().Set(AdmittedHeader, strconv.FormatUint(uint64(h.Guard.Admitted()), 10))
	http.Error(w, err.Error(), status)
}

// readBody reads a body that is not too long.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := h.MaxBody
	if limit <= 0 {
		limit = defaultMaxBody
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
}

// requestEpoch returns the epoch that a request carries.
func requestEpoch(header http.Header) (spec.Epoch, error) {
	values := header.Values(EpochHeader)
	if len(values) != 1 {
		return 0, fmt.Errorf("resource: a write has the header %s once, with the epoch of its writer's reign; this one has it %d times",
			EpochHeader, len(values))
	}
	e, err := parseEpoch(values[0])
	if err != nil {
		return 0, fmt.Errorf("resource: the header %s: %w", EpochHeader, err)
	}
	return e, Validate(e)
}

// parseEpoch reads an epoch in the form that it has in JSON: digits only, without a leading zero.
func parseEpoch(text string) (e spec.Epoch, err error) {
	if err := e.UnmarshalJSON([]byte(text)); err != nil {
		return 0, err
	}
	return e, nil
}

// answer keeps back what a handler answers.
type answer struct {
	header http.Header
	status int // 0 as long as none is given
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(data)
}

// send gives the answer. That the client may have gone meanwhile changes nothing.
func (a *answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = w.Write(a.body.Bytes())
}
