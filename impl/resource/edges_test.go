package resource

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
)

// TestLongestValue writes, reads and spoils the longest value that there can be.
func TestLongestValue(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", MaxValue)
	require.NoError(t, open(t, dir).Write(3, []byte(long)))
	data, err := os.ReadFile(filepath.Join(dir, fileName))
	require.NoError(t, err)
	require.Len(t, data, maxRecord)
	again := t.TempDir()
	put := func(data []byte) string {
		require.NoError(t, os.WriteFile(filepath.Join(again, fileName), data, 0o600))
		return again
	}
	f, err := OpenFile(put(data))
	require.NoError(t, err)
	requireValue(t, f, long, 3)
	require.NoError(t, f.Close())
	value, epoch, err := ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, spec.Epoch(3), epoch)
	require.Len(t, value, MaxValue)
	_, err = OpenFile(put(append(data, 'x')))
	require.ErrorContains(t, err, "is damaged")
	_, _, err = ReadFile(again)
	require.ErrorContains(t, err, "is damaged")

	_, _, err = decode(encode(3, make([]byte, MaxValue+1)))
	require.EqualError(t, err, "it states a value of 16777217 bytes, and has one of 16777217")
	_, value, err = decode(encode(3, make([]byte, MaxValue)))
	require.NoError(t, err)
	require.Len(t, value, MaxValue)
}

// TestFirstErrorOutlivesClose shows that closing does not hide why a File admits nothing more, and that a marker that
// cannot be made is an error.
func TestFirstErrorOutlivesClose(t *testing.T) {
	disk := simdisk.New()
	f, err := openOn(folder.On(disk, "/data", fileName))
	require.NoError(t, err)
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		if op == simdisk.Sync {
			return simdisk.Fails
		}
		return simdisk.Works
	}
	first := f.Write(3, []byte("three"))
	require.ErrorIs(t, first, simdisk.ErrFault)
	require.ErrorContains(t, first, "resource: could not write for epoch 3, and admits nothing more: cannot sync /data/fence.tmp")
	require.NoError(t, f.Close())
	require.Same(t, first, f.Write(4, nil))
	_, _, err = f.Read()
	require.Same(t, first, err)

	disk = simdisk.New()
	disk.Put(fileName, encode(3, []byte("three"))) // and the marker is missing
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		if op == simdisk.SyncFolder {
			return simdisk.Fails
		}
		return simdisk.Works
	}
	_, err = openOn(folder.On(disk, "/data", fileName))
	require.ErrorIs(t, err, simdisk.ErrFault)
	require.ErrorContains(t, err, "resource: cannot sync the folder of /data/fence.kept")
}

// TestMemoryRegisterFails shows that what could not be saved is not kept.
func TestMemoryRegisterFails(t *testing.T) {
	r := &MemoryRegister{Epoch: 3}
	require.NoError(t, r.Save(4))
	r.Err = errors.New("no space left")
	require.Same(t, r.Err, r.Save(5))
	require.EqualValues(t, 4, r.Epoch)
}

// TestBodies goes to the bounds of what a request may carry.
func TestBodies(t *testing.T) {
	require.Equal(t, 1_048_576, defaultMaxBody)
	ask := func(maxBody int64, body io.Reader) *httptest.ResponseRecorder {
		g, _ := newGuard(t, 4)
		calls := 0
		r := httptest.NewRequest("POST", "/", body)
		SetEpoch(r.Header, 5)
		w := httptest.NewRecorder()
		(&Handler{Guard: g, Next: echo(&calls), MaxBody: maxBody}).ServeHTTP(w, r)
		return w
	}
	for _, c := range []struct {
		maxBody int64
		length  int
		status  int
	}{
		{0, defaultMaxBody, 201}, {0, defaultMaxBody + 1, 413}, {-1, defaultMaxBody, 201}, {-1, defaultMaxBody + 1, 413},
		{1, 1, 201}, {1, 2, 413}, {2, 2, 201}, {2, 3, 413},
	} {
		require.Equal(t, c.status, ask(c.maxBody, strings.NewReader(strings.Repeat("x", c.length))).Code, "%+v", c)
	}
	w := ask(100, iotest.ErrReader(errors.New("the line is dead")))
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Contains(t, w.Body.String(), "resource: cannot read the body: the line is dead")
}

// TestRefusalsSayWhichHeader compares what is said of epochs that are none.
func TestRefusalsSayWhichHeader(t *testing.T) {
	for epoch, says := range map[string]string{
		"":  "resource: a write has the header Bully-Epoch once, with the epoch of its writer's reign; this one has it 0 times\n",
		"x": "resource: the header Bully-Epoch: ",
	} {
		g, _ := newGuard(t, 4)
		r := httptest.NewRequest("POST", "/", nil)
		if epoch != "" {
			r.Header.Set(EpochHeader, epoch)
		}
		w := httptest.NewRecorder()
		(&Handler{Guard: g, Next: echo(new(int))}).ServeHTTP(w, r)
		require.Equal(t, http.StatusBadRequest, w.Code)
		require.True(t, strings.HasPrefix(w.Body.String(), says), w.Body)
	}
}

// TestFirstStatusCounts lets handlers say their status as they like: as with any server the first counts, and what is
// written without one is a success.
func TestFirstStatusCounts(t *testing.T) {
	for name, c := range map[string]struct {
		next http.HandlerFunc
		want int
	}{
		"none":            {func(http.ResponseWriter, *http.Request) {}, 200},
		"twice":           {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200); w.WriteHeader(500) }, 200},
		"after the body":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(nil); w.WriteHeader(500) }, 200},
		"before the body": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); _, _ = w.Write(nil) }, 500},
		"of its own":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(299) }, 299},
		"information":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(404) }, 404},
	} {
		g, _ := newGuard(t, 4)
		r := httptest.NewRequest("POST", "/", nil)
		SetEpoch(r.Header, 5)
		w := httptest.NewRecorder()
		(&Handler{Guard: g, Next: c.next}).ServeHTTP(w, r)
		require.Equal(t, c.want, w.Code, name)
		require.Equal(t, "5", w.Header().Get(AdmittedHeader), name)
	}
}

// TestOnlyARefusalIsOne shows that an answer that is no 412 is no refusal, whatever its headers say.
func TestOnlyARefusalIsOne(t *testing.T) {
	for status, refused := range map[int]bool{200: false, 201: false, 400: false, 409: false, 411: false, 412: true, 413: false, 503: false} {
		request := httptest.NewRequest("POST", "/", nil)
		SetEpoch(request.Header, 4)
		response := &http.Response{StatusCode: status, Header: http.Header{AdmittedHeader: {"5"}}, Request: request}
		err := CheckResponse(response)
		if refused {
			require.Equal(t, &FencedError{Epoch: 4, Admitted: 5}, err)
		} else {
			require.NoError(t, err, status)
		}
	}
}
