package main

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// asService makes this test program be the service.
const asService = "TEST_AS_SERVICE"

func TestMain(m *testing.M) {
	if os.Getenv(asService) != "" {
		go tellGoroutines(os.Args[1] + goroutinesSuffix)
		main()
		return
	}
	os.Exit(m.Run())
}

const goroutinesSuffix = ".goroutines"

// tellGoroutines says in a file how many goroutines the service has, as long as it runs.
func tellGoroutines(name string) {
	for ; ; time.Sleep(time.Second) {
		if os.WriteFile(name+".new", fmt.Append(nil, runtime.NumGoroutine()), 0o600) == nil {
			_ = os.Rename(name+".new", name)
		}
	}
}
