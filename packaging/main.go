// Packaging builds what users install: archives, Debian packages, an image for containers, and the
// lists of what is in them. Run it by .ci/release. It is a module beside the program's, so that
// nobody who uses the program needs its libraries.
//
// The bytes that it writes depend on the source, the version, the commit, the version of Go, and
// nothing else: no clock, no name of a machine or folder, no order of a directory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("packaging", flag.ContinueOnError)
	source := flags.String("source", "..", "folder of the program's module")
	out := flags.String("out", "", "folder for the results; what it contains is removed")
	version := flags.String("version", "", "version of the release, such as v1.2.3")
	commit := flags.String("commit", "", "hash of the commit")
	epoch := flags.Int64("epoch", 0, "date of the commit in seconds since 1970")
	platforms := flags.String("platforms", strings.Join(platformNames(), ","), "platforms to build for")
	what := flags.String("only", "", "make only deb: the Debian packages")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || *commit == "" || *epoch <= 0 {
		return fmt.Errorf("the flags -out, -version, -commit and -epoch are needed")
	}
	r := &release{commit: *commit, date: time.Unix(*epoch, 0).UTC(), onlyDeb: *what == "deb"}
	var err error
	if r.version, err = parseVersion(*version); err != nil {
		return err
	}
	if r.platforms, err = parsePlatforms(*platforms); err != nil {
		return err
	}
	if r.source, err = filepath.Abs(*source); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	return r.make(ctx)
}
