// Roget is a FHIR R4 terminology engine and resource server: code systems, value sets,
// concept maps and stored resources of every type, over HTTP and from the terminal. As a
// library, use the packages below this one.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine/operation"
)

func main() { os.Exit(run()) }

// run is the program without its exit, so that deferred calls happen.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	cli := cliadapter.New(cliadapter.Config{
		Operations: operation.Terminal(),
		Backend:    backend{},
		Version:    buildVersion(),
	})
	return cli.Run(ctx, os.Args[1:], cliadapter.Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		ReadSecret:  readSecret,
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	})
}
