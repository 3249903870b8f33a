// Package crowd starts processes.
package crowd

import "os/exec"

// Most is how many it starts.
const Most = 250

// Run starts one after the other, and ends each before the next.
func Run() error {
	for range Most {
		command := exec.Command("sleep", "1000")
		if err := command.Start(); err != nil {
			return err
		}
		end(command)
	}
	return nil
}

func end(command *exec.Cmd) {
	_ = command.Process.Kill()
	_ = command.Wait()
}
