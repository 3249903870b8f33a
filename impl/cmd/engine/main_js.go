//go:build js && wasm

// Command engine is package engine for a page: it sets globalThis.bullyEngine, whose call(method, args) takes the arguments as
// JSON, and returns the answer as JSON. It prints nothing.
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o engine.wasm ./impl/cmd/engine
package main

import (
	"syscall/js"

	"github.com/seed-fdf591db/bully/impl/internal/engine"
)

func main() {
	var e engine.Engine
	call := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 || args[0].Type() != js.TypeString || args[1].Type() != js.TypeString {
			return e.Call("", "[]")
		}
		return e.Call(args[0].String(), args[1].String())
	})
	js.Global().Set("bullyEngine", map[string]any{"call": call})
	select {} // the page goes on asking
}
