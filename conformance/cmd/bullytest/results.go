package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/certificate"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// report writes the results of a run in another form.
func report(_ context.Context, p *program, args []string) error {
	set := p.flags("report")
	html := set.Bool("html", false, "as one page")
	junit := set.Bool("junit", false, "as the XML of JUnit, which CI systems read")
	asJSON := set.Bool("json", false, "as JSON")
	text := set.Bool("text", false, "as text: each failure, as test says it, and what came of each rule")
	if err := parse(set, args); err != nil {
		return err
	}
	forms := 0
	for _, is := range []bool{*html, *junit, *asJSON, *text} {
		if is {
			forms++
		}
	}
	if forms != 1 || set.NArg() != 1 {
		return wrong("say one form, and the file that test -json has written: bullytest report -html results.json >page.html")
	}
	r, err := kit.ReadReport(set.Arg(0))
	if err != nil {
		return &exit{exitUsage, err}
	}
	switch {
	case *html:
		return r.HTML(p.out)
	case *junit:
		return r.JUnit(p.out)
	case *asJSON:
		text, err := r.JSON()
		if err == nil {
			_, err = p.out.Write(text)
		}
		return err
	}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Failed() || v.Outcome == kit.Undecided {
			fmt.Fprintf(p.out, "%s\n", v.Explain(r.Again(v)))
		}
	}
	fmt.Fprintf(p.out, "%s\n%s %s (%s): %s; %s\n", r.RuleTable(), r.Port.Name, r.Port.Version, r.Port.Language, r.Summary(), r.Speed())
	return nil
}

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
	return show(p, certificate.PortsOf(reports, heldTo()), *page)
}

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
	return show(p, r, *page)
}

// show writes a table, and a page too if a file is named.
func show(p *program, t *certificate.Table, page string) error {
	fmt.Fprint(p.out, t)
	if page == "" {
		return nil
	}
	var text bytes.Buffer
	if err := t.HTML(&text); err != nil {
		return err
	}
	return os.WriteFile(page, text.Bytes(), 0o644)
}
