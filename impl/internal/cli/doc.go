// Package cli is what programs of subcommands share: flags that explain themselves, suggestions for what was mistyped, progress, and the exit
// statuses.
//
//	p := cli.Program{Name: "bully", About: "Bully elects …", Commands: commands, Out: os.Stdout, Log: os.Stderr}
//	os.Exit(p.Main(ctx, os.Args[1:]))
package cli
