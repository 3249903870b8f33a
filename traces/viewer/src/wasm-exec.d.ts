// Go's own wasm_exec.js, which build.mjs takes from the Go that builds the engine. It leaves the class Go.
declare module 'wasm-exec';
declare module '*.css';
