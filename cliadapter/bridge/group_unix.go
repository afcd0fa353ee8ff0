//go:build unix

package bridge

import (
	"os/exec"
	"syscall"
)

// inGroup starts a process in a group of processes, and ends the whole group with it.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
