package main

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// noVector says that there is no such vector, and whether there is such a case.
func noVector(id string) error {
	cases, err := casesOf("")
	if err != nil {
		return err
	}
	for _, c := range cases {
		if c.ID == id {
			return wrong("%s is a case of suite %s, and no vector: what it asks is no fixed list of lines that could be piped. To run it: bullytest test -run %s -- CMD…", id, c.Suite, id)
		}
	}
	return wrong("there is no case %q%s", id, kit.Alike(vectors.Cases(), id))
}

// stdin writes the requests of a case, from hello to bye, or the replies that are right.
func stdin(_ context.Context, p *program, args []string) error {
	set := p.flags("stdin")
	replies := set.Bool("replies", false, "write the right replies instead, without those to hello, reset and bye")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return wrong("say which case, such as: bullytest stdin R17-grants-a-higher-epoch | python3 port.py")
	}
	v := vectors.Named(set.Arg(0))
	if v == nil {
		return noVector(set.Arg(0))
	}
	if !*replies {
		_, err := io.WriteString(p.out, v.Stdin())
		return err
	}
	for _, s := range v.Steps {
		if _, err := fmt.Fprintln(p.out, s.Reply); err != nil {
			return err
		}
	}
	return nil
}

// writeVectors writes all vectors as files.
func writeVectors(_ context.Context, p *program, args []string) error {
	set := p.flags("vectors")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return wrong("say into which folder, such as: bullytest vectors mine/vectors")
	}
	if err := vectors.Write(set.Arg(0)); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d vectors are in %s, a file each, and manifest.json with the digest of each.\n", len(vectors.All()), set.Arg(0))
	return nil
}
