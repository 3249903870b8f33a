//go:build js && wasm

// Command engine is package engine for a page: it sets globalThis.bullyEngine, whose call(method, args, text) takes the arguments as
// JSON and, if there is one, the text of a file, and returns the answer as JSON. It prints nothing.
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
		var texts []string
		for _, arg := range args {
			if arg.Type() == js.TypeString {
				texts = append(texts, arg.String())
			}
		}
		if len(texts) < 2 {
			return e.Call("", "[]")
		}
		return e.Call(texts[0], texts[1], texts[2:]...)
	})
	js.Global().Set("bullyEngine", map[string]any{"call": call})
	select {} // the page goes on asking
}
