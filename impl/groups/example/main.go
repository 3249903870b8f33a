// Command example is a service of a thousand shards, each served by one of several machines at a time, as a user of package groups writes it. It is told a file:
//
//	{"ID": "1", "Cluster": "orders", "Addresses": {"1": "127.0.0.1:7001", "2": "127.0.0.1:7002", "3": "127.0.0.1:7003"}, "Dir": "orders-1",
//	 "Shards": 1000, "Store": "http://127.0.0.1:8080"}
//
// Whoever serves a shard counts in a store, with the epoch of its reign: the store refuses older ones (resource.Handler). On several machines links need
// certificates: Config.TLS, which bully.LoadCertificate reads.
//
// Where machines come and go, ID, Cluster and Addresses are left out: the record in Dir, which bully init or join makes, has them. "Admin" is then where operators change the members of the cluster:
//
//	curl -X POST '127.0.0.1:9001/add?id=4&address=127.0.0.1:7004'    and so /remove?id=1, and /rank?id=2&rank=7
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// service is a node of it.
type service struct {
	groups.Config
	Shards int
	Store  string // its URL
	Admin  string // where members are changed; "" for nowhere
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	var s service
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err == nil {
		err = s.serve(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serve serves the shards that this node leads, until ctx ends or the node fails.
func (s *service) serve(ctx context.Context) error {
	node, err := groups.Open(s.Config)
	if err != nil {
		return err
	}
	s.ID = node.Status().ID
	if s.Admin != "" {
		server := &http.Server{Addr: s.Admin, Handler: administer(node.Own), ReadHeaderTimeout: time.Second}
		go func() { log.Print(server.ListenAndServe()) }()
		defer func() { _ = server.Close() }()
	}
	var shards sync.WaitGroup
	for i := range s.Shards {
		shards.Go(func() {
			name := fmt.Sprintf("orders-%d", i)
			work := func(ctx context.Context, reign groups.Reign) error { return s.serveShard(ctx, name, reign) }
			for err := error(nil); !errors.Is(err, groups.ErrClosed) && !errors.Is(err, groups.ErrStopped); {
				err = node.Lead(context.Background(), name, work)
			}
		})
	}
	select {
	case <-ctx.Done():
	case <-node.Done():
	}
	err = node.Stop(context.Background()) // work ends, and others take over at once
	shards.Wait()
	return err
}

// administer changes the members of the cluster, at the node that leads its own election. Shards follow by themselves.
func administer(cluster *host.Host) http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, change func(r *http.Request, id spec.NodeID) error) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			id, err := spec.ParseNodeID(r.FormValue("id"))
			if err == nil {
				err = change(r, id)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusConflict)
			}
		})
	}
	handle("/add", func(r *http.Request, id spec.NodeID) error {
		_, err := cluster.AddMember(r.Context(), spec.Member{ID: id, Address: r.FormValue("address")}, 0)
		return err
	})
	handle("/remove", func(r *http.Request, id spec.NodeID) error {
		_, err := cluster.RemoveMember(r.Context(), id, 0)
		return err
	})
	handle("/rank", func(r *http.Request, id spec.NodeID) error {
		rank, err := strconv.ParseUint(r.FormValue("rank"), 10, 16)
		if err == nil {
			_, err = cluster.RankMember(r.Context(), id, uint16(rank), 0)
		}
		return err
	})
	return mux
}

// serveShard serves a shard in one reign: until that is over, or a later one has written.
func (s *service) serveShard(ctx context.Context, shard string, reign groups.Reign) error {
	for n := 1; ; n++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.Store+"/"+shard, strings.NewReader(fmt.Sprint(s.ID, " ", n)))
		if err != nil {
			return err
		}
		resource.SetEpoch(request.Header, reign.Epoch())
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if err := resource.CheckResponse(response); err != nil {
				return err // ErrFenced
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil
		}
	}
}
