package main

import (
	"maps"
	"net/http"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

// page returns the live page, which watches this node and the others that there are views of.
func (n *node) page() (http.Handler, error) {
	nodes := []viewer.Node{{ID: n.id.String()}}
	for _, id := range slices.SortedFunc(maps.Keys(n.views), spec.NodeID.Compare) {
		if id != n.id {
			nodes = append(nodes, viewer.Node{ID: id.String(), URL: n.views[id]})
		}
	}
	return viewer.New(viewer.Options{Live: &viewer.Live{Nodes: nodes, Cluster: n.cluster, Resign: n.controlled()}})
}
