package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// leadHelp is what bully help lead says before the flags.
const leadHelp = `
Asks the node of a socket (bully run -socket) to lead, waits until it does, and then becomes CMD, with BULLY_SOCKET, BULLY_TERM and BULLY_EPOCH in its
environment. CMD asks for its leases itself, and acts while they hold; impl/AGENT.md has a script that does:

  curl -s --fail --unix-socket "$BULLY_SOCKET" "http://bully/lease?term=$BULLY_TERM"

CMD, and all that it starts, have two connections to the node: when the last of them has ended, or has closed these, the node knows that nobody acts, and
leads for them no longer. As long as one of them runs the address of the node refuses nobody, though the node was killed: so nobody else leads while they act.
What closes all descriptors that it does not know, as some daemons do, must have ended with the last lease.

A CMD that has asked for no lease for the time of -lease is taken to be stopped or stuck: when the last one is over, the node leads for it no longer.

`

// leadFlags are the flags of bully lead.
type leadFlags struct {
	socket          string
	lease, progress time.Duration
}

// leadBy waits until a node leads for this process, and becomes a command.
func leadBy(ctx context.Context, p program, args []string) error {
	var f leadFlags
	flags := p.Flags("lead")
	flags.StringVar(&f.socket, "socket", "", "the `path` of the socket of the node")
	flags.DurationVar(&f.lease, "lease", 10*time.Second, "CMD asks for a lease at least once in this `time`")
	flags.DurationVar(&f.progress, "progress", 0, "CMD says that it gets on at least once in this `time`; 0 means that it need not")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " -- CMD [argument…]", Text: leadHelp}); err != nil {
		return err
	}
	if f.socket == "" || flags.NArg() == 0 {
		return cli.Usage("bully lead -socket PATH -- CMD [argument…]: both are needed")
	}
	path, err := exec.LookPath(flags.Arg(0))
	if err != nil {
		return err
	}
	asks, term, err := f.wait(ctx)
	if err != nil {
		return err
	}
	holds, err := f.ask(ctx, "/hold?term="+term.Term) // and is never read from
	if err == nil {
		err = errors.Join(bequeath(asks), bequeath(holds))
	}
	if err != nil {
		return err
	}
	environment := append(os.Environ(), "BULLY_SOCKET="+f.socket, "BULLY_TERM="+term.Term, "BULLY_EPOCH="+strconv.FormatUint(uint64(term.Epoch), 10))
	return &os.PathError{Op: "exec", Path: path, Err: syscall.Exec(path, flags.Args(), environment)}
}

// ask sends a question on a connection of its own.
func (f leadFlags) ask(ctx context.Context, path string) (*net.UnixConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", f.socket)
	if err == nil {
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: bully\r\n\r\n", path)
	}
	if err != nil {
		return nil, fmt.Errorf("the node does not answer: does bully run -socket run here? %w", err)
	}
	return conn.(*net.UnixConn), nil
}

// wait asks to lead until that is so, and returns the connection by which it does, with the term.
func (f leadFlags) wait(ctx context.Context) (conn *net.UnixConn, term web.TermLine, err error) {
	limits := "hold=true&lease=" + f.lease.String()
	if f.progress != 0 {
		limits += "&progress=" + f.progress.String()
	}
	if conn, err = f.ask(ctx, "/lead?"+limits); err != nil {
		return nil, term, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil && answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return nil, term, fmt.Errorf("the node says %s: %s", answer.Status, cli.PrintableText(strings.TrimSpace(string(said))))
	}
	if err == nil {
		err = json.NewDecoder(answer.Body).Decode(&term) // the first line of a program is that it leads
	}
	if ctx.Err() != nil {
		return nil, term, ctx.Err()
	}
	if err != nil {
		return nil, term, fmt.Errorf("the node has ended before it led: %w", err)
	}
	return conn, term, nil
}
