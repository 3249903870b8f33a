package engine_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-fdf591db/bully/impl/internal/engine"
)

// A page opens a golden trace, and looks at where there is something to see.
func Example() {
	var e engine.Engine
	var opened struct {
		Handle int
		Header struct {
			Title string
			Nodes []string
			Open  int
		}
		Frames []struct {
			Node       int
			Text, Rule string
		}
	}
	if err := json.Unmarshal([]byte(e.Call("openGolden", `["failover"]`)), &opened); err != nil {
		fmt.Println(err)
		return
	}
	h := opened.Header
	fmt.Printf("%s, %d frames\n", h.Title, len(opened.Frames))
	for _, f := range opened.Frames[h.Open-1 : h.Open+2] {
		fmt.Println(h.Nodes[f.Node], f.Text, f.Rule)
	}
	fmt.Println(e.Call("close", fmt.Sprintf("[%d]", opened.Handle)))
	// Output:
	// failover, 31 frames
	// 3 crashes R4
	// 2 has not heard from 3 for too long R8
	// 1 takes ELECTION of epoch 1 from 2 (question 2) R11
	// {}
}
