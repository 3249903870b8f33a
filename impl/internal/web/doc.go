// Package web is the HTTP face of a node: what it is, who leads, how it does, and a live page of the cluster.
//
//	GET  /status   all there is to know of the node, as JSON
//	GET  /leader   200 {"leader":"5","epoch":3}, or 503 {"leader":null,"epoch":3} if the node knows of no leader
//	GET  /leading  200 if the node acts as leader now, or 503 and who does: for load balancers
//	GET  /healthz  200 if the loop of the node answers, or 503 and why not
//	GET  /metrics  counters and gauges in the text format of Prometheus
//	GET  /events   server-sent events: what the node is, at once and whenever its role, leader or epoch changes
//	GET  /steps    server-sent events: the last steps of the node, then each as it is taken
//	GET  /         the page, for people: it watches the cluster
//	GET  /views    what the page needs: the cluster, and where the other nodes are seen
//	POST /resign   makes the node lead no longer (R28): 200 when that is done, 409 and who leads if it is another
//	GET  /members  who the members are, if they come and go: see Members
//	POST /members  adds, removes or replaces a member, at the leader: see Change and Changed
//
// A node of many groups (Config.Groups) answers instead:
//
//	GET  /         the page, for people: who leads what, which members each group has, and which lag behind
//	GET  /groups   the same as JSON: see Placed; with ?down=3,4 who would lead while these are down
//	GET  /leader   who leads one group: ?group=NAME
//	GET  /metrics  the same of the groups, none of them by name
//
// and where its members change all of the above too, of the cluster's own election, but GET /leader; the page of that is at /election. /healthz then wants both loops to answer, and /status
// says how the groups are: see GroupsNow. Where members are fixed there is no such election, and 404 says so.
//
// GET and HEAD /leading answer by the deadline of the reign, as host.Reign.Valid does, so never 200 after it, whatever the loop of the
// node does meanwhile, and whatever it has been told:
//
//	200 {"leading":true,"node":"3","leader":"3","epoch":4,"holds_ms":87}
//	503 {"leading":false,"node":"1","leader":"3","epoch":4,"holds_ms":0,"view":"http://10.0.0.3:8000"}
//
// It leads for holds_ms at least from when it was asked, so by the clock of who asks: from when he has sent the question. An answer may
// take longer than that on its way. It waits for nothing, and is served where /healthz is, also while streams take all that they may.
//
// POST /resign of a node that leads waits until its work has returned, for 10 seconds at most; if that takes longer it answers 503, and
// the node resigns all the same. If it cannot name whom ?to names it answers 422, and why, and leads on. One that leads no longer may lead again at once: the highest that runs does.
//
// An event of /events is one line of JSON:
//
//	data: {"at":1763712000123456,"node":"3","role":"follower","leader":"5","epoch":4,"leading":false}
//
// where at is when it became so, in microseconds since 1970, and leader is null unless the node may tell (R39).
//
// An event of /steps is a step of the node as in a trace (section 14 of the specification), with at, and numbered from 1 on:
//
//	id: 1763712000000000-17
//	data: {"seq":17,"at":1763712000123456,"node":"3","action":"OnClaim","input":{"message":…},"sent":[…],"state":{…}}
//
// Its id says when the node started, and the number. Who comes back with the last id that he has read, in the header
// Last-Event-ID or as ?after=ID, goes on behind it; who brings none, or one of an earlier life of the node, gets all that is
// kept: the last 512 steps that only keep a reign alive, and the last 256 of all others, so that the last elections are
// there however long ago they were.
//
// [Events] stands between the host and who listens; it is made first:
//
//	events := web.NewEvents(id, recorder) // or nil, if no trace is recorded
//	h, err := host.New(host.Config{..., Trace: events, Metrics: events})
//	...
//	server, err := web.New(web.Config{Node: h, Events: events, Stats: links.Stats, Cluster: "demo"})
//	go func() { errs <- server.Serve(listener) }()
//	...
//	server.Close()
//
// What /metrics tells is a table, metric_table.go: each name, its help, its kind and its label, once. Package impl/host/prometheus gives the same
// to a registry, so that one set of alerts and dashboards is good for both.
//
// # Who may call
//
// Nobody is asked who he is. Everybody who reaches the address may read all of the above; and if Config.Control is set, make the node
// resign, and change members. So listen on loopback, or where only those can connect who may. That is a firewall,
// a private network, or a proxy that asks for a name; a proxy on the same machine makes loopback everybody's whom it lets
// through, and so do a tunnel, and containers that share the network of the machine.
//
// Who may change members can end the cluster: he removes nodes, or makes so many of his own voters that they are a quorum, and
// has all nodes dial any address. He cannot make two lead one epoch. One change waits for 10 seconds at most, in which no other
// is made. What he is told, incarnations too, is no secret that a node could be told by: for that give the links TLS.
//
// A page in a browser may read, of whatever origin it is. It may do something only if its origin is this server's or that of a
// view, and if its name is an address, localhost, or that of a view: so a page from elsewhere may not, even if its owner has
// its name lead to loopback (DNS rebinding). Connections are bounded in number, and in how slow they may be.
package web
