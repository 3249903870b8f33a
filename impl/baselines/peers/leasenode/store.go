package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// store is what leaderelection needs of the API of Kubernetes: Leases that can be read, created and updated. Of the rules
// of the real one (k8s.io/kubernetes, pkg/registry/coordination/lease and pkg/apis/coordination/validation) it has those
// that matter to a Lease as a lock: an update must name the version that it has read, and is refused if there is a newer
// one; and a Lease lasts for whole seconds, at least one. There is no deletion, no watch and no discovery, and an update
// does not create.
type store struct {
	mu       sync.Mutex
	file     *os.File // one record a line, appended; it grows by half a kilobyte a write, and is never rewritten
	revision uint64
	leases   map[string]coordinationv1.Lease // by NAMESPACE/NAME
}

// record is a Lease as it was written.
type record struct {
	Revision uint64               `json:"revision"`
	Lease    coordinationv1.Lease `json:"lease"`
}

// openStore opens a store, with all that was written to it before. A last line that was not written to its end was never
// answered, and goes.
func openStore(path string) (*store, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	s := &store{file: file, leases: map[string]coordinationv1.Lease{}}
	var good int64
	lines := bufio.NewReader(file)
	for {
		line, end := lines.ReadBytes('\n')
		if end != nil {
			break
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, errors.Join(fmt.Errorf("%s, at byte %d: %w; the file is damaged", path, good, err), file.Close())
		}
		good += int64(len(line))
		s.revision, s.leases[key(r.Lease.Namespace, r.Lease.Name)] = r.Revision, r.Lease
	}
	if err := file.Truncate(good); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// key returns where a Lease is among the others.
func key(namespace, name string) string { return namespace + "/" + name }

// handler returns the API.
func (s *store) handler() http.Handler {
	const all = "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+all+"/{name}", func(w http.ResponseWriter, r *http.Request) {
		lease, err := s.get(key(r.PathValue("namespace"), r.PathValue("name")), r.PathValue("name"))
		answer(w, http.StatusOK, lease, err)
	})
	mux.HandleFunc("POST "+all, func(w http.ResponseWriter, r *http.Request) {
		lease, err := read(w, r)
		if err == nil {
			lease, err = s.create(lease)
		}
		answer(w, http.StatusCreated, lease, err)
	})
	mux.HandleFunc("PUT "+all+"/{name}", func(w http.ResponseWriter, r *http.Request) {
		lease, err := read(w, r)
		if err == nil && lease.Name != r.PathValue("name") {
			err = apierrors.NewBadRequest("the name of the object does not match the name on the URL")
		}
		if err == nil {
			lease, err = s.update(lease)
		}
		answer(w, http.StatusOK, lease, err)
	})
	return mux
}

// read reads the Lease that a request brings.
func read(w http.ResponseWriter, r *http.Request) (lease coordinationv1.Lease, err error) {
	const most = 1 << 20
	if err = json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(&lease); err != nil {
		return lease, apierrors.NewBadRequest(err.Error())
	}
	if lease.Namespace == "" {
		lease.Namespace = r.PathValue("namespace")
	}
	if lease.Name == "" || lease.Namespace != r.PathValue("namespace") {
		return lease, apierrors.NewBadRequest("the object has no name, or another namespace than the URL")
	}
	return lease, nil
}

// answer answers with a Lease, or with what is wrong.
func answer(w http.ResponseWriter, code int, lease coordinationv1.Lease, err error) {
	lease.TypeMeta = metav1.TypeMeta{Kind: "Lease", APIVersion: coordinationv1.SchemeGroupVersion.String()}
	var body any = lease
	if err != nil {
		var known apierrors.APIStatus
		if !errors.As(err, &known) {
			known = apierrors.NewInternalError(err)
		}
		status := known.Status()
		status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
		code, body = int(status.Code), status
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

var (
	resource = schema.GroupResource{Group: coordinationv1.GroupName, Resource: "leases"}
	kind     = schema.GroupKind{Group: coordinationv1.GroupName, Kind: "Lease"}
)

// get returns a Lease.
func (s *store) get(key, name string) (coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lease, ok := s.leases[key]
	if !ok {
		return lease, apierrors.NewNotFound(resource, name)
	}
	return lease, nil
}

// create makes a new Lease.
func (s *store) create(lease coordinationv1.Lease) (coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.leases[key(lease.Namespace, lease.Name)]; ok {
		return lease, apierrors.NewAlreadyExists(resource, lease.Name)
	}
	if wrong := validate(lease); len(wrong) > 0 {
		return lease, apierrors.NewInvalid(kind, lease.Name, wrong)
	}
	lease.UID = types.UID(uuid.NewUUID())
	lease.CreationTimestamp = metav1.NewTime(time.Now())
	return s.write(lease)
}

// update writes a new version of a Lease over the last one.
func (s *store) update(lease coordinationv1.Lease) (coordinationv1.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wrong := validate(lease)
	if lease.ResourceVersion == "" {
		wrong = append(wrong, field.Invalid(field.NewPath("metadata", "resourceVersion"), "", "must be specified for an update"))
	}
	if len(wrong) > 0 {
		return lease, apierrors.NewInvalid(kind, lease.Name, wrong)
	}
	old, ok := s.leases[key(lease.Namespace, lease.Name)]
	switch {
	case !ok:
		return lease, apierrors.NewNotFound(resource, lease.Name)
	case old.ResourceVersion != lease.ResourceVersion:
		return lease, apierrors.NewConflict(resource, lease.Name, errors.New("the object has been modified since it was read"))
	}
	lease.UID, lease.CreationTimestamp = old.UID, old.CreationTimestamp
	return s.write(lease)
}

// validate returns what a Lease must not say.
func validate(lease coordinationv1.Lease) (wrong field.ErrorList) {
	spec, path := lease.Spec, field.NewPath("spec")
	if d := spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		wrong = append(wrong, field.Invalid(path.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := spec.LeaseTransitions; n != nil && *n < 0 {
		wrong = append(wrong, field.Invalid(path.Child("leaseTransitions"), *n, "must be greater than or equal to 0"))
	}
	return wrong
}

// write gives a Lease the next version, and returns once it is on the disk. The lock is held. After a write that has
// failed nobody knows what is on the disk, so the file is closed and all others fail too.
func (s *store) write(lease coordinationv1.Lease) (coordinationv1.Lease, error) {
	r := record{s.revision + 1, lease}
	r.Lease.ResourceVersion = strconv.FormatUint(r.Revision, 10)
	line, err := json.Marshal(r)
	if err != nil {
		return lease, err
	}
	if _, err = s.file.Write(append(line, '\n')); err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return lease, errors.Join(err, s.file.Close())
	}
	s.revision, s.leases[key(lease.Namespace, lease.Name)] = r.Revision, r.Lease
	return r.Lease, nil
}
