package lease_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

// Two candidates want one key. This host delivers messages at once and has no clock: it ends the timers that it wants to end.
func Example() {
	store, err := lease.NewStore(lease.StoreConfig{Candidates: 2, Ticks: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	store.Step(lease.Start())
	candidates := map[int]*lease.Candidate{}
	var deliver func(messages []lease.Message)
	deliver = func(messages []lease.Message) {
		for _, m := range messages {
			fmt.Printf("%d→%d %s\n", m.From, m.To, m.Kind)
			if m.To == lease.StoreID {
				deliver(store.Step(lease.Receive(m)).Send)
			} else {
				deliver(candidates[m.To].Step(lease.Receive(m)).Send)
			}
		}
	}
	for id := 1; id <= 2; id++ {
		if candidates[id], err = lease.New(lease.Config{ID: id, Key: lease.SharedKey, Session: uint64(100 + id)}); err != nil {
			fmt.Println(err)
			return
		}
		deliver(candidates[id].Step(lease.Start()).Send)
	}
	fmt.Println(candidates[2].Leader())
	for range 4 { // 1 does not renew any more
		out := store.Step(lease.Timeout(lease.Tick))
		fmt.Printf("tick: %q\n", out.Note)
		deliver(out.Send)
	}
	fmt.Println(candidates[2].Leader())
	fmt.Println(candidates[1].Leads(), "until its deadline")
	fmt.Println(candidates[1].Step(lease.Timeout(lease.Timer(1 % lease.Deadlines))).Note)
	// Output:
	// 1→0 CREATE
	// 0→1 CREATED
	// 2→0 CREATE
	// 0→2 HELD
	// 2→0 WATCH
	// 1 1
	// tick: ""
	// tick: ""
	// tick: ""
	// tick: "the lease of 1 has run out"
	// 0→2 GONE
	// 2→0 CREATE
	// 0→2 CREATED
	// 2 3
	// true until its deadline
	// gives up: its lease was not renewed in time
}
