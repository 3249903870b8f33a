package tlc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lane is a JVM that runs one job after the other.
type lane struct {
	command *exec.Cmd
	jobs    io.WriteCloser
	answers *bufio.Scanner
	said    *os.File // standard error
	short   bool     // it is tuned for short jobs
}

// virtual returns the options of a JVM that keeps its files in folder. TLC unpacks its standard
// modules into java.io.tmpdir under fixed names, where two JVMs would disturb each other.
// Each run has one worker, so one thread to collect garbage is enough; and a run of some
// seconds ends before the slower, better compiler has paid.
func (r *Runner) virtual(folder string, short bool) []string {
	options := []string{
		"-XX:+UseSerialGC",
		"-XX:MaxRAMPercentage=" + strconv.Itoa(max(10, 60/max(1, r.Lanes))),
		"-Xss16m",
		"-XX:ErrorFile=" + filepath.Join(folder, "crash.log"),
		"-Djava.io.tmpdir=" + folder,
		"-Djava.awt.headless=true",
	}
	if short {
		options = append(options, "-XX:TieredStopAtLevel=1")
	}
	return options
}

// newLane starts a JVM with the driver. Its files are in folder, which exists.
func (r *Runner) newLane(ctx context.Context, folder string, short bool) (*lane, error) {
	options := append(r.virtual(folder, short), "-cp", r.Classes, "Batch", r.Jar)
	l := &lane{command: exec.CommandContext(ctx, r.Java, options...), short: short}
	l.command.Dir = r.Dir
	l.command.WaitDelay = 5 * time.Second
	jobs, err := l.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := l.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if l.said, err = os.Create(filepath.Join(folder, "stderr.txt")); err != nil {
		return nil, err
	}
	l.command.Stderr = l.said
	l.jobs, l.answers = jobs, bufio.NewScanner(answers)
	if err := l.command.Start(); err != nil {
		_ = l.said.Close()
		return nil, err
	}
	return l, nil
}

// run has the JVM run TLC with args, with all output going to the file output, and returns the
// exit status. After an error, the lane is dead.
func (l *lane) run(output string, args []string) (int, error) {
	if _, err := fmt.Fprintln(l.jobs, strings.Join(append([]string{output}, args...), "\t")); err != nil {
		return 0, l.died()
	}
	for l.answers.Scan() {
		// Virtual machines have been known to print warnings here.
		if exit, ok := strings.CutPrefix(l.answers.Text(), "exit "); ok {
			return strconv.Atoi(exit)
		}
	}
	return 0, l.died()
}

// died waits for the end of a JVM that did not answer, and says how it ended.
func (l *lane) died() error {
	name := l.said.Name()
	state := "the JVM died"
	if err := l.close(); err != nil {
		state += " (" + err.Error() + ")"
	}
	said, _ := os.ReadFile(name)
	return fmt.Errorf("%s\n%s", state, firstLines(string(said), 5))
}

// close ends the JVM and waits until it is gone.
func (l *lane) close() error {
	if l.said == nil {
		return nil
	}
	_ = l.jobs.Close()
	err := l.command.Wait()
	_ = l.said.Close()
	l.said = nil
	return err
}
