// Command figures writes impl/FIGURES.md: how fast things are, as it was measured last. What was measured is kept in the .json files
// beside this one, each with its command, its date and the machine; the page is made of these and of FIGURES.tmpl, and nothing of it is
// written by hand:
//
//	go run ./conformance/evidence/figures                             # writes the page
//	workbench bench idle -json | go run ./conformance/evidence/figures -keep idle -of "make bench-idle"
//
// The second keeps what it reads as what was measured last, and writes the page; make figures does so with all, on a machine that has
// nothing else to do. It exits with 0, or with 1 if a file is not as it must be, and with 2 if it was called wrongly.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// The exit statuses.
const (
	exitOK    = 0
	exitWrong = 1
	exitUsage = 2
)

const (
	folder = "conformance/evidence/figures"
	page   = "impl/FIGURES.md"
)

func main() { os.Exit(run(os.Args[1:], ".", os.Stdin, os.Stderr, time.Now())) }

// run is the command without the process around it: root is the top of the repository.
func run(args []string, root string, in io.Reader, log io.Writer, now time.Time) int {
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.SetOutput(log)
	name := flags.String("keep", "", "keep what is read from standard input as the record of this `name`")
	command := flags.String("of", "", "with -keep: the `command` that has measured it")
	to := flags.String("to", "", "write records and page below this `folder`, for a trial, and leave those of the repository alone")
	beside := flags.String("beside", "", "with -keep: what else the machine was doing, if anything: \"beside other work\"")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil || flags.NArg() > 0 || (*name == "") != (*command == "") {
		_, _ = fmt.Fprintln(log, "figures: go run ./conformance/evidence/figures [-keep NAME -of COMMAND] [-to FOLDER], at the top of the repository")
		return exitUsage
	}
	err := update(root, cmp.Or(*to, root), *name, in, heading{Command: *command, Date: now.Format(time.DateOnly), Beside: *beside})
	if err != nil {
		_, _ = fmt.Fprintf(log, "figures: %v\n", err)
		return exitWrong
	}
	return exitOK
}

// update keeps what in says as the record of a name, if there is one, and writes the page, both below the folder to. The other records
// are those of root. Of what no page can be made nothing is kept.
func update(root, to, name string, in io.Reader, h heading) error {
	records, err := read(os.DirFS(filepath.Join(root, folder)))
	if err != nil {
		return err
	}
	var kept []byte
	if name != "" {
		if kept, err = recordOf(name, in, h); err != nil {
			return err
		}
		if records[name], err = parse(name, kept); err != nil {
			return err
		}
	}
	text, err := pageOf(records)
	if err != nil {
		return err
	}
	if name != "" {
		if err := write(filepath.Join(to, folder, name+".json"), kept); err != nil {
			return err
		}
	}
	return write(filepath.Join(to, page), []byte(text))
}

// write writes a file, and makes its folder.
func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
