package policy_test

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/spec/policy"
)

// A follower hears its leader every 50 ms, then with some jitter, and then no more.
func ExamplePhi() {
	phi, err := policy.NewPhi(policy.PhiConfig{Heartbeat: 50 * time.Millisecond, Floor: 100 * time.Millisecond})
	if err != nil {
		fmt.Println(err) // such as: policy: PhiConfig.Floor is 10ms, but must be at least Heartbeat, 50ms: or …
		return
	}
	now := time.Unix(0, 0)
	hear := func(interval time.Duration) {
		now = now.Add(interval)
		phi.Heard(now)
	}
	for range 1000 {
		hear(50 * time.Millisecond)
	}
	fmt.Println("regular:", phi.Patience(now))
	for range 100 {
		hear(20 * time.Millisecond)
		hear(80 * time.Millisecond)
	}
	fmt.Println("jittery:", phi.Patience(now).Round(time.Millisecond))
	for _, part := range []time.Duration{1, 2, 3, 4} {
		silence := part * phi.Patience(now) / 3
		fmt.Printf("after %d/3 of it: phi %.1f\n", part, phi.Phi(now.Add(silence)))
	}
	// Output:
	// regular: 100ms
	// jittery: 125ms
	// after 1/3 of it: phi 0.1
	// after 2/3 of it: phi 2.2
	// after 3/3 of it: phi 8.0
	// after 4/3 of it: phi 17.9
}
