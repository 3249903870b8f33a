package main

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-fdf591db/bully/conformance/kit/certificate"
)

// releases shows the certificates of the releases of one port beside each other.
func releases(_ context.Context, p *program, args []string) error {
	set := p.flags("releases")
	page := set.String("html", "", "write the table to this `file`, as a page")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() == 0 {
		return wrong("give the certificates of a port, one a release, which bullytest test -certificate has written: bullytest releases certificates/*.json")
	}
	if err := writable(*page); err != nil {
		return err
	}
	var all []*certificate.Certificate
	for _, name := range set.Args() {
		c, err := certificate.Read(name)
		if err != nil {
			return &exit{exitUsage, err}
		}
		all = append(all, c)
	}
	r, err := certificate.ReleasesOf(all)
	if err != nil {
		return &exit{exitUsage, err}
	}
	fmt.Fprint(p.out, r.Text())
	if *page == "" {
		return nil
	}
	return os.WriteFile(*page, []byte(r.HTML()), 0o644)
}
