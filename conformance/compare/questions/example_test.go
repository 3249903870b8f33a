package questions_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/questions"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

// How many messages does an election of the toy algorithm take, at best?
func Example() {
	q := questions.All()[0]
	q.Settings = q.Settings[:3]
	answer, err := questions.Ask(context.Background(), &q, []compare.Algorithm{toy.New()}, questions.Options{First: 1, Seeds: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Asks)
	fmt.Print(answer.Table(&q))
	// Output:
	// One node starts an election, the one that makes it cheapest. How many messages are sent?
	// messages, by nodes
	//   algorithm  3  5  7
	//   toy        2  4  6
	//
	// time, ms, by nodes
	//   algorithm  3  5  7
	//   toy        1  1  1
}
