package localcluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// Fault is what befalls a leader.
type Fault string

// The faults that are measured.
const (
	// FaultKill is kill -9: the node is gone, and its machine says so to whoever asks.
	FaultKill Fault = "kill"
	// FaultStop is SIGSTOP: the node hangs, and nothing shows it but silence.
	FaultStop Fault = "stop"
	// FaultStuck has the node's loop go round no more, while its process runs on: a node hears of it by SIGUSR1.
	FaultStuck Fault = "stuck"
	// FaultCut takes the node off the network: all packets to and from it are lost. It needs a Namespaced
	// cluster.
	FaultCut Fault = "cut"
	// FaultResign is none: the leader is called to hand over to another node, which it names (R51), and runs on.
	FaultResign Fault = "resign"
)

// Faults returns all faults. FaultResign is none.
func Faults() []Fault { return []Fault{FaultKill, FaultStop, FaultStuck, FaultCut} }

const (
	// settled is how long a cluster is left alone after all its nodes have agreed, and before the next fault: long
	// enough for everybody to be connected to who has come back.
	settled = 300 * time.Millisecond
	// settledCut is the same after a cut. Connections that outlived it wait as long again before they try anew: TCP
	// doubles the time between two attempts.
	settledCut = 2 * time.Second
	// spread is added, a random part of it, so that faults do not keep step with heartbeats.
	spread = 150 * time.Millisecond
)

// Failovers says what is to be measured.
type Failovers struct {
	Config Config // its Network is set as the fault needs it
	Fault  Fault
	Rounds int // how often the leader fails; at least 1
	// Guarded says that a node that hangs is killed by its guard: Config.Inner is the name of the node then.
	Guarded bool
	// Patience bounds each wait. A minute if 0.
	Patience time.Duration
	// Each is called after each round, if it is not nil.
	Each func(round int, f Failover)
}

// Failover is what one failover took.
type Failover struct {
	Took     time.Duration     // from before the fault until the last survivor names the new leader
	Teardown time.Duration     // from before it until the address of the node refuses; 0 if it does not, as nothing ends the node
	Old, New Reign             // before, and after
	Named    int               // of FaultResign: the node that was named, which leads unless something else went wrong
	Messages map[string]uint64 // what the survivors have sent meanwhile, by type; no more than they count themselves
	Bytes    uint64            // and how many bytes that was
	Saves    uint64            // how often they have waited for a disk
	HeldUp   uint64            // how often they were held up: then the highest of them may have come too late
}

// Sent returns how many messages were sent in all.
func (f Failover) Sent() uint64 {
	var sum uint64
	for _, n := range f.Messages {
		sum += n
	}
	return sum
}

// Measure starts a cluster, lets its leader fail again and again, and measures how long it takes until all survivors
// name one other leader. After each round the failed node is brought back, and all are waited for.
// What was measured before an error is returned with it.
func (f Failovers) Measure(ctx context.Context) ([]Failover, error) {
	if f.Rounds < 1 {
		return nil, fmt.Errorf("%d rounds measure nothing", f.Rounds)
	}
	if f.Fault != FaultResign && !slices.Contains(Faults(), f.Fault) {
		return nil, fmt.Errorf("unknown fault %q", f.Fault)
	}
	if f.Patience == 0 {
		f.Patience = time.Minute
	}
	if f.Fault == FaultCut {
		f.Config.Network = Namespaced
	}
	c, err := New(f.Config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	if err := c.Start(); err != nil {
		return nil, err
	}
	var all []Failover
	var above uint64
	for round := 1; round <= f.Rounds; round++ {
		one, err := f.round(ctx, c, above)
		for began := time.Now(); lostReign(err) && time.Since(began) < f.Patience; {
			one, err = f.round(ctx, c, above)
		}
		if err != nil {
			return all, fmt.Errorf("round %d: %w", round, err)
		}
		all = append(all, one)
		above = one.Old.Epoch
		if f.Each != nil {
			f.Each(round, one)
		}
	}
	return all, nil
}

// round waits until all nodes agree, lets their leader fail, and waits for the next.
func (f Failovers) round(ctx context.Context, c *Cluster, above uint64) (one Failover, err error) {
	agree := func(above uint64, but int, ids ...int) (Reign, error) {
		ctx, cancel := context.WithTimeout(ctx, f.Patience)
		defer cancel()
		return c.agreeBut(ctx, above, but, ids...)
	}
	if _, err = agree(above, 0, c.IDs()...); err != nil {
		return one, err
	}
	settle := settled
	if f.Fault == FaultCut {
		settle = settledCut
	}
	if err = sleep(ctx, settle+rand.N(spread)); err != nil {
		return one, err
	}
	if one.Old, err = agree(above, 0, c.IDs()...); err != nil {
		return one, err
	}
	old := one.Old.Leader
	survivors := c.IDs(old)
	before, err := c.counted(ctx, survivors)
	if err != nil {
		return one, err
	}
	var refuses func() (time.Time, error)
	ending, cancel := context.WithTimeout(ctx, f.Patience)
	defer cancel()
	if f.ends() {
		if refuses, err = c.watchEnd(ending, old); err != nil {
			return one, err
		}
	}
	next := survivors[rand.N(len(survivors))]
	at, err := f.strike(ending, c, old, next)
	if err != nil {
		return one, err
	}
	// The old leader may have begun one more reign before the fault befell it.
	if one.New, err = agree(one.Old.Epoch, old, survivors...); err != nil {
		return one, err
	}
	if f.Fault == FaultResign {
		one.Named = next
	}
	if c.deposed(one.Old, at) {
		return one, errors.Join(errDeposed, f.mend(c, old))
	}
	one.Took = one.New.At.Sub(at)
	if refuses != nil {
		gone, err := refuses()
		if err != nil {
			return one, err
		}
		one.Teardown = gone.Sub(at)
	}
	after, err := c.counted(ctx, survivors)
	if err != nil {
		return one, err
	}
	one.Messages = map[string]uint64{}
	for name, n := range after.Sent {
		if n > before.Sent[name] {
			one.Messages[name] = n - before.Sent[name]
		}
	}
	one.Bytes, one.Saves, one.HeldUp = after.BytesSent-before.BytesSent, after.Saves-before.Saves, after.HeldUp-before.HeldUp
	return one, f.mend(c, old)
}

// errDeposed says that a leader had lost its reign before the fault: what followed is no failover.
var errDeposed = errors.New("the leader lost its reign before the fault")

// lostReign reports whether a round failed only because the machine cost the leader its reign. It is then repeated with
// the node that leads now.
func lostReign(err error) bool { return errors.Is(err, errConflict) || errors.Is(err, errDeposed) }

// deposed reports whether a node named another leader than that of a reign, in a later epoch and before a time.
func (c *Cluster) deposed(reign Reign, before time.Time) bool {
	return slices.ContainsFunc(c.Events(0), func(e Event) bool {
		return e.Epoch > reign.Epoch && e.Leader != 0 && e.Leader != reign.Leader && e.At.Before(before)
	})
}

// ends reports whether the fault ends the process of the node: by itself, or as a guard does so.
func (f Failovers) ends() bool {
	return f.Fault == FaultKill || f.Guarded && f.Fault != FaultCut && f.Fault != FaultResign
}

// strike lets the fault befall a node, and returns the moment before. A leader that is to hand over names the node next.
func (f Failovers) strike(ctx context.Context, c *Cluster, id, next int) (time.Time, error) {
	switch f.Fault {
	case FaultCut:
		return c.Cut(Between([]int{id}, c.IDs(id))...)
	case FaultResign:
		at := time.Now()
		return at, c.call(ctx, id, http.MethodPost, fmt.Sprintf("/resign?to=%d&hold=1h", next), nil)
	}
	with := map[Fault]syscall.Signal{FaultKill: syscall.SIGKILL, FaultStop: pauseSignal, FaultStuck: stuckSignal}[f.Fault]
	if c.config.Inner != "" {
		return c.signalInner(id, with)
	}
	if f.Fault == FaultKill {
		return c.Kill(id)
	}
	at, _, err := c.signal(with, []int{id})
	return at, err
}

// mend takes the fault away. A guard is begun anew with its node: it would let that wait the longer the more often it has died.
func (f Failovers) mend(c *Cluster, id int) error {
	switch {
	case f.Fault == FaultCut:
		_, err := c.Heal()
		return err
	case f.Fault == FaultResign:
		return nil
	case f.Fault == FaultStop && c.config.Inner == "":
		_, err := c.Continue(id)
		return err
	case f.Fault == FaultKill && c.config.Inner == "":
		return c.Start(id)
	}
	if _, err := c.Kill(id); err != nil {
		return err
	}
	// What it has started dies with it, and a little later.
	ctx, cancel := context.WithTimeout(c.ctx, f.Patience)
	defer cancel()
	if err := errors.Join(refuses(ctx, c.nodes[id-1].addr), refuses(ctx, c.nodes[id-1].http)); err != nil {
		return err
	}
	return c.Start(id)
}

// Counters is what a node has counted since its process was started. What it does not count is 0.
type Counters struct {
	Sent      map[string]uint64 // messages, by type
	BytesSent uint64
	Saves     uint64 // how often it has waited for a disk
	SlowSaves uint64 // how often it had to wait for that for longer than its timing allows
	HeldUp    uint64 // how often it did not get the processor, or its disk, when it needed it
}

// Counters asks a node what it has counted.
func (c *Cluster) Counters(ctx context.Context, id int) (Counters, error) {
	var s struct {
		Counters struct {
			Sent      map[string]uint64 `json:"sent"`
			Writes    uint64            `json:"writes"` // of those who do not count messages
			BytesSent uint64            `json:"bytes_sent"`
			Saves     uint64            `json:"saves"`
			SlowSaves uint64            `json:"slow_saves"`
			Pauses    uint64            `json:"pauses"`
		} `json:"counters"`
	}
	if err := c.get(ctx, id, "/status", &s); err != nil {
		return Counters{}, err
	}
	counters := Counters{Sent: s.Counters.Sent, BytesSent: s.Counters.BytesSent, Saves: s.Counters.Saves, SlowSaves: s.Counters.SlowSaves,
		HeldUp: s.Counters.Pauses}
	if counters.Sent == nil {
		counters.Sent = map[string]uint64{"": s.Counters.Writes}
	}
	return counters, nil
}

// get asks a node's HTTP face for a JSON value.
func (c *Cluster) get(ctx context.Context, id int, path string, value any) error {
	return c.call(ctx, id, http.MethodGet, path, value)
}

// errConflict is the answer of a node that cannot do what it is asked for as things are: so it does not lead, and is to hand over.
var errConflict = errors.New("409 Conflict")

// call asks a node's HTTP face for something, and for a JSON value, if that is not nil.
func (c *Cluster) call(ctx context.Context, id int, method, path string, value any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+c.HTTP(id)+path, nil)
	if err != nil {
		return err
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("node %d: %w", id, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusConflict {
		return fmt.Errorf("node %d: %s %s: %w", id, method, path, errConflict)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("node %d: %s %s: %s", id, method, path, response.Status)
	}
	if value == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(value); err != nil {
		return fmt.Errorf("node %d: %s %s: %w", id, method, path, err)
	}
	return nil
}

// counted returns the sum of what nodes have counted.
func (c *Cluster) counted(ctx context.Context, ids []int) (Counters, error) {
	sum := Counters{Sent: map[string]uint64{}}
	for _, id := range ids {
		one, err := c.Counters(ctx, id)
		if err != nil {
			return sum, err
		}
		for name, n := range one.Sent {
			sum.Sent[name] += n
		}
		sum.BytesSent += one.BytesSent
		sum.Saves += one.Saves
		sum.HeldUp += one.HeldUp
	}
	return sum, nil
}

// Median returns the middle of the times, or 0 if there is none.
func Median(times []time.Duration) time.Duration { return Quantile(times, 0.5) }

// Quantile returns the least of the times that a part q of them does not exceed, 0 to 1; or 0 if there is none.
func Quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	rank := int(q * float64(len(sorted)))
	if float64(rank) == q*float64(len(sorted)) {
		rank--
	}
	return sorted[min(max(rank, 0), len(sorted)-1)]
}
