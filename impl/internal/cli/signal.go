package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends with the first signal to end. A second one does not ask, however soon it comes: whoever can see
// that the context has ended is ended by it, and one that has come before that is sent again.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-asked
		signal.Stop(asked)
		end(fmt.Errorf("%v signal received", first))
		select {
		case second := <-asked:
			self, err := os.FindProcess(os.Getpid())
			if err != nil || self.Signal(second) != nil {
				os.Exit(Mismatch)
			}
		default:
		}
	}()
	return ctx
}
