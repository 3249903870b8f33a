package value_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/tla/check/value"
)

func Example() {
	states := value.NewStates()
	for _, text := range []string{"{2, 1}", "{1, 2}", "1..2", "{1}"} {
		state := value.State{}
		if err := state.Set("support", text); err != nil {
			fmt.Println(err)
			return
		}
		states.Add(state)
	}
	fmt.Println(states.Len(), "states:", states.Missing(value.NewStates(), 2))
	// Output: 2 states: [support = {1, 2} support = {1}]
}
