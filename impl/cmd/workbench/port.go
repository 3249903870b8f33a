package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// portHelp is what bully help port says before the flags.
const portHelp = `
Runs the core of this program as a port: it reads requests from standard input, and writes replies to standard output.
conformance/CERTIFYING.md describes both. With it, bullytest asks this implementation the same questions that it asks
ports in other languages, with changing members and fenced resources. Who writes a port can try requests with it:

  bullytest test -level gold -- workbench port
  echo '{"id":1,"op":"start","node":"a","me":"1","members":["1"]}' | workbench port

It ends when its input ends, or when it is told bye.

`

// servePorts speaks the protocol of ports on standard input and output.
func servePorts(ctx context.Context, p program, args []string) error {
	flags := p.Flags("port")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: "", Text: portHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usage("port takes no arguments: its requests come from standard input (\"workbench help port\")")
	}
	ended := make(chan error, 1)
	go func() { ended <- servePort(os.Stdin, p.Out) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // who reads standard input cannot be interrupted
		return ctx.Err()
	}
}

// servePort is the port: the core, and the fence of package resource.
func servePort(r io.Reader, w io.Writer) error {
	return port.Serve(r, w, port.Implementation{
		Identity: port.Identity{Name: "bully", Version: spec.Version, Language: "Go"},
		Make:     subject.New,
		Load:     subject.At,
		Changing: true,
		Naming:   true,
		Fence:    func() port.Fence { return newFence() },
	})
}

// fence is a value behind a Guard.
type fence struct {
	guard *resource.Guard
	value string
}

func newFence() *fence {
	guard, err := resource.NewGuard(&resource.MemoryRegister{})
	if err != nil {
		panic(err) // nothing can be wrong with a register that is new
	}
	return &fence{guard: guard}
}

// Write implements port.Fence. A Guard takes no write of epoch 0, since nobody leads it; the kit asks for one where nobody has led.
func (f *fence) Write(epoch spec.Epoch, value string) (admitted bool, highest spec.Epoch, err error) {
	write := func() error {
		f.value = value
		return nil
	}
	if epoch == 0 && f.guard.Admitted() == 0 {
		return true, 0, write()
	}
	if epoch == 0 {
		return false, f.guard.Admitted(), nil
	}
	err = f.guard.Admit(epoch, write)
	if errors.Is(err, resource.ErrFenced) {
		return false, f.guard.Admitted(), nil
	}
	return err == nil, f.guard.Admitted(), err
}

// Read implements port.Fence.
func (f *fence) Read() (value string, highest spec.Epoch) { return f.value, f.guard.Admitted() }
