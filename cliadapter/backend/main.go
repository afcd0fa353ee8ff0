package backend

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine/operation"
)

// Main runs the program with the arguments, streams and signals of the process, and returns its
// exit code. The first SIGINT or SIGTERM shuts the program down, the second one kills it. The
// version is the version of the release, or "".
func Main(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	cli := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(),
		Backend:    Backend{},
		Version:    buildVersion(version),
	})
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = 0 // no terminal
	}
	return cli.Run(ctx, os.Args[1:], cliadapter.Streams{
		Width: width,
		In:    os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		ReadSecret:  readSecret,
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	})
}

// readSecret reads a line from the terminal without echo. When ctx ends first, it restores the
// echo and returns the error of ctx.
func readSecret(ctx context.Context) ([]byte, error) {
	terminal := int(os.Stdin.Fd())
	before, err := term.GetState(terminal)
	if err != nil {
		return nil, err
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		read <- line{text, err}
	}()
	select {
	case got := <-read:
		return got.text, got.err
	case <-ctx.Done():
		_ = term.Restore(terminal, before) // the process ends anyway
		return nil, ctx.Err()
	}
}

// buildVersion describes the build: the version of the release or of the module, and the commit if
// the build recorded it.
func buildVersion(release string) cliadapter.Version {
	v := cliadapter.Version{Version: release}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
