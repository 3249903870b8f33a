//go:build unix

package child_test

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/seed-fdf591db/bully/impl/internal/child"
)

func Example() {
	cmd := exec.Command("/bin/sh", "-c", "echo at work; exit 3")
	cmd.Stdout = os.Stdout
	c, err := child.Start(cmd, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	<-c.Done()
	fmt.Println("it ended with", c.Status())
	// Output:
	// at work
	// it ended with 3
}
