package main

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/certificate"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// heldTo returns what ports are held to, for certificates.
func heldTo() certificate.Kit {
	k := certificate.Kit{Vectors: vectors.Digest(), Seeds: suites.SilverSeeds, SeedsLevel: "silver"}
	for _, l := range levels() {
		k.Levels = append(k.Levels, certificate.Level{Name: l.name, Cases: l.cases()})
	}
	return k
}

// matrix shows the results of several ports beside each other.
func matrix(ctx context.Context, p *program, args []string) error {
	set := p.flags("matrix")
	page := set.String("html", "", "write the table to this `file`, as a page")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() == 0 {
		return wrong("give the results of ports, which bullytest test -json has written: bullytest matrix results/*.json")
	}
	var reports []*kit.Report
	for _, name := range set.Args() {
		r, err := kit.ReadReport(name)
		if err != nil {
			return &exit{exitUsage, err}
		}
		reports = append(reports, r)
	}
	m := certificate.MatrixOf(reports, set.Args(), heldTo())
	fmt.Fprint(p.out, m.Text())
	if *page == "" {
		return nil
	}
	return os.WriteFile(*page, []byte(m.HTML()), 0o644)
}
