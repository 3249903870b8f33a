package explore_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/explore"
)

// DieHard has a jug of three gallons and one of five, and asks how to measure four.
// A state is two bytes: what is in the small jug, and what is in the big one.
type DieHard struct{}

func (DieHard) Init(emit func(state []byte)) { emit([]byte{0, 0}) }

func (DieHard) Expander() explore.Expander { return DieHard{} }

func (DieHard) Render(state []byte) []explore.Variable {
	return []explore.Variable{
		{Name: "big", Value: fmt.Sprint(state[1])},
		{Name: "small", Value: fmt.Sprint(state[0])},
	}
}

func (DieHard) Unchecked() []string { return nil }

func (DieHard) Check(state []byte) string {
	if state[1] == 4 {
		return "NotSolved"
	}
	return ""
}

func (DieHard) Expand(state []byte, emit func(step explore.Step, next []byte, broken string)) {
	small, big := state[0], state[1]
	step := func(action string, small, big byte) {
		emit(explore.Step{Action: action}, []byte{small, big}, "")
	}
	step("FillSmallJug", 3, big)
	step("FillBigJug", small, 5)
	step("EmptySmallJug", 0, big)
	step("EmptyBigJug", small, 0)
	poured := min(small, 5-big)
	step("SmallToBig", small-poured, big+poured)
	poured = min(big, 3-small)
	step("BigToSmall", small+poured, big-poured)
}

func Example() {
	result, err := explore.Run(context.Background(), DieHard{}, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(result.Violation)
	fmt.Println("depth", result.Depth)
	// Output:
	// Invariant NotSolved is violated after step 6.
	// 0. Initial state
	//    big = 0
	//    small = 0
	// 1. FillBigJug
	//    big = 5
	// 2. BigToSmall
	//    big = 2
	//    small = 3
	// 3. EmptySmallJug
	//    small = 0
	// 4. BigToSmall
	//    big = 0
	//    small = 2
	// 5. FillBigJug
	//    big = 5
	// 6. BigToSmall
	//    big = 4
	//    small = 3
	// depth 7
}
