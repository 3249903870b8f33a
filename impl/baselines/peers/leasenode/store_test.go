package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lockOf returns a lock of client-go at a store.
func lockOf(t *testing.T, s *store, identity string) resourcelock.Interface {
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON}}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, leaseName,
		resourcelock.ResourceLockConfig{Identity: identity}, config, time.Second)
	require.NoError(t, err)
	return lock
}

// held returns a record of a holder.
func held(by string, transitions int) resourcelock.LeaderElectionRecord {
	return resourcelock.LeaderElectionRecord{HolderIdentity: by, LeaseDurationSeconds: 2, LeaderTransitions: transitions}
}

// What the real API answers, its client finds in ours.
func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), leasesFile)
	s, err := openStore(path)
	require.NoError(t, err)
	one, two := lockOf(t, s, "1"), lockOf(t, s, "2")
	ctx := t.Context()

	_, _, err = one.Get(ctx)
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.NoError(t, one.Create(ctx, held("1", 0)))
	err = two.Create(ctx, held("2", 0))
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	r, _, err := two.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, held("1", 0), *r)

	// Who writes first wins, and the other has to read again.
	require.NoError(t, two.Update(ctx, held("2", 1)))
	err = one.Update(ctx, held("1", 1))
	require.True(t, apierrors.IsConflict(err), "%v", err)
	r, _, err = one.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, held("2", 1), *r)
	require.NoError(t, one.Update(ctx, held("1", 2)))

	short := held("1", 2)
	short.LeaseDurationSeconds = 0
	err = one.Update(ctx, short)
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.ErrorContains(t, err, "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0")
	_, _, err = one.Get(ctx)
	require.NoError(t, err)
	err = one.Update(ctx, held("1", -1))
	require.ErrorContains(t, err, "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0")

	// All of it is on the disk, but for what was never answered.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"revision":9,"lea`)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	again, err := openStore(path)
	require.NoError(t, err)
	require.EqualValues(t, 3, again.revision)
	two = lockOf(t, again, "2")
	r, _, err = two.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, held("1", 2), *r)
	require.NoError(t, two.Update(ctx, held("2", 3)))

	// A disk that fails ends it: what is on it then nobody knows.
	require.NoError(t, again.file.Close())
	for range 2 {
		_, _, err = two.Get(ctx)
		require.NoError(t, err)
		err = two.Update(ctx, held("2", 4))
		require.True(t, apierrors.IsInternalError(err), "%v", err)
	}
	again, err = openStore(path)
	require.NoError(t, err)
	require.EqualValues(t, 4, again.revision)

	require.NoError(t, os.WriteFile(path, []byte("{}\n?\n"), 0o600))
	_, err = openStore(path)
	require.ErrorContains(t, err, path+", at byte 3: ")
}

func TestRequestsThatAreRefused(t *testing.T) {
	s, err := openStore(filepath.Join(t.TempDir(), leasesFile))
	require.NoError(t, err)
	const all = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	for _, test := range []struct {
		method, path, body string
		code               int
	}{
		{"POST", all, `{"metadata":{"name":"a"}}`, 201},
		{"POST", all, "k8s\x00", 400},
		{"POST", all, `{"metadata":{}}`, 400},
		{"POST", all, `{"metadata":{"name":"a","namespace":"other"}}`, 400},
		{"POST", all, `{"metadata":{"name":"b"},"spec":{"leaseDurationSeconds":0}}`, 422},
		{"PUT", all + "/b", `{"metadata":{"name":"a"}}`, 400},
		{"PUT", all + "/b", `{"metadata":{"name":"b","resourceVersion":"1"}}`, 404},
		{"PUT", all + "/a", `{"metadata":{"name":"a"}}`, 422},
		{"PUT", all + "/a", `{"metadata":{"name":"a","resourceVersion":"0"}}`, 409},
		{"PUT", all + "/a", `{"metadata":{"name":"a","resourceVersion":"1"}}`, 200},
		{"PUT", all + "/a", `{"metadata":{"name":"a","resourceVersion":"1"}}`, 409},
		{"GET", all + "/a", "", 200},
		{"GET", strings.Replace(all, "default", "other", 1) + "/a", "", 404},
		{"DELETE", all + "/a", "", 405},
		{"GET", "/apis", "", 404},
	} {
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body)))
		require.Equal(t, test.code, w.Code, "%s %s %s: %s", test.method, test.path, test.body, w.Body)
	}
	lease, err := s.get("default/a", "a")
	require.NoError(t, err)
	require.Equal(t, "2", lease.ResourceVersion)
	require.NotEmpty(t, lease.UID)
	require.False(t, lease.CreationTimestamp.Equal(&metav1.Time{}), "a lease has the time of its creation")
}
