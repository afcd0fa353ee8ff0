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

// A Release is what the build of a release states about itself. Other builds leave it empty: for
// them, the Go tool records the version of the module, the commit and its date.
type Release struct {
	Version string // "v1.2.3"
	Commit  string
	Date    string // of the commit, RFC 3339
}

// Main runs the program with the arguments, streams and signals of the process, and returns its
// exit code. The first SIGINT or SIGTERM shuts the program down, the second one kills it.
func Main(release Release) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	cli := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(),
		Backend:    Backend{},
		Version:    buildVersion(release),
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

// buildVersion describes the build: the release, or else the version of the module and the commit if
// the build recorded it.
func buildVersion(release Release) cliadapter.Version {
	v := cliadapter.Version{Version: release.Version, Revision: release.Commit, Time: release.Date}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if v.Version != "" {
		return v
	}
	v.Version = info.Main.Version
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
