package oauth2

import (
	"context"
	"os/exec"
	"runtime"
)

// openBrowser opens an address in the user's browser. It does not wait until the browser exits.
func openBrowser(_ context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	command := exec.Command(name, args...) //nolint:gosec // the program is a constant, and the address is that of the login
	if err := command.Start(); err != nil {
		return err
	}
	go command.Wait() //nolint:errcheck // its exit status does not matter
	return nil
}
