//go:build !(js && wasm)

// Command engine is package engine for a page. Here, where there is no page, it says how it is built.
package main

import (
	"fmt"
	"os"
)

func main() {
	_, _ = fmt.Fprintln(os.Stderr, "build it for a page: GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./impl/cmd/engine")
	os.Exit(2)
}
