package cluster

import (
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Shorter names for the roles, since there are many.
const (
	follower  = rules.Follower
	candidate = rules.Candidate
	electing  = rules.Electing
	claimant  = rules.Claimant
	leader    = rules.Leader
)

// atlas has the members of all configurations in tests, in the same place as a cluster of three nodes, of which two are members at
// first, and of which leaders may be asked for anything.
var atlas = func() *cluster {
	c, err := newCluster(configuration(3, "TopIsolated Two AnyMembers", "0 0 0 0 0 0"))
	if err != nil {
		panic(err)
	}
	return c
}()

// of returns a configuration with these voters, of an epoch and a version.
func of(e spec.Epoch, version uint64, voters ...rules.ID) rules.Configuration {
	return rules.Configuration{Epoch: e, Version: version, Of: atlas.list(rules.Members{Voters: rules.SetOf(voters...)})}
}

// witness returns c with these witnesses.
func witness(c rules.Configuration, ids ...rules.ID) rules.Configuration {
	m := *c.Members()
	m.Witnesses = rules.SetOf(ids...)
	c.Of = atlas.list(m)
	return c
}

// observer returns c with these observers.
func observer(c rules.Configuration, ids ...rules.ID) rules.Configuration {
	m := *c.Members()
	m.Observers = rules.SetOf(ids...)
	c.Of = atlas.list(m)
	return c
}

// node returns the state of a node whose configuration is c.
func node(role rules.Role, leader rules.ID, e spec.Epoch, grantee rules.ID, c rules.Configuration, support ...rules.ID) rules.State {
	return rules.State{Role: role, Leader: leader, Grantee: grantee, Epoch: e, Support: rules.SetOf(support...), Conf: c}
}

// fixed is configuration, of nodes whose members never change: a topology, and a budget of "early crash loss cut resign".
func fixed(n int, topology, budget string, replaced ...string) explore.Configuration {
	return configuration(n, topology+" All Nothing", budget+" 0", append(replaced, "Stamped <- Unstamped")...)
}

// said returns a message as it is on its link.
func said(t rules.MessageType, e spec.Epoch, c rules.Configuration) payload {
	return atlas.payload(&rules.Said{Type: t, Epoch: e, Question: 1}, c)
}
