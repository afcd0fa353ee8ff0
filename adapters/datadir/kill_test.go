package datadir

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childFolder makes a copy of this test program load into a folder until it is killed.
const childFolder = "ROGET_TEST_DATADIR_CHILD"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		fmt.Println("child ended:", loadForever(folder))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// loadForever loads in an endless loop. Load n is version n of a shared code system with 10+n
// concepts, and a code system of its own. It prints n after Commit has returned.
func loadForever(folder string) error {
	d, err := Open(context.Background(), folder, Options{})
	if err != nil {
		return err
	}
	first := 0
	for _, e := range d.Entries() {
		if e.Header.URL == "http://x/shared" {
			first = e.Concepts - 10 + 1
		}
	}
	fmt.Println("ready")
	for n := first; ; n++ {
		if err := loadOne(d, n); err != nil {
			return err
		}
		fmt.Println("loaded", n)
	}
}

func loadOne(d *Dir, n int) error {
	ctx := context.Background()
	shared, err := build(ctx, "http://x/shared", "1", 10+n)
	if err != nil {
		return err
	}
	own, err := build(ctx, fmt.Sprintf("http://x/own%d", n), "1", 500)
	if err != nil {
		return err
	}
	w, err := d.Writer(ctx)
	if err != nil {
		return err
	}
	return errors.Join(w.AddCodeSystem(shared, ""), w.AddCodeSystem(own, ""), w.Commit())
}

// A process killed at any moment during a load leaves the state of a completed load, at least the
// last one that it reported.
func TestKilledWhileLoading(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	folder := t.TempDir()
	last := -1
	for round := range rounds {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childFolder+"="+folder)
		output, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		var kill *time.Timer
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if lines.Text() == "ready" {
				kill = time.AfterFunc(time.Duration(rand.IntN(150))*time.Millisecond, func() { _ = child.Process.Kill() })
				continue
			}
			if _, err := fmt.Sscanf(lines.Text(), "loaded %d", &last); err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
		}
		if kill == nil {
			t.Fatalf("the child did not start: %v", child.Wait())
		}
		_ = child.Wait()

		d := open(t, folder, Options{})
		must(t, d.Verify(t.Context()))
		// The load after the last reported one may also have been completed.
		there := -1
		for _, e := range d.Entries() {
			if e.Header.URL == "http://x/shared" {
				there = e.Concepts - 10
			}
		}
		if there < last || there > last+1 {
			t.Fatalf("round %d: the folder has load %d, the last one told of is %d", round, there, last)
		}
		last = there
		if last < 0 {
			continue
		}
		answers(t, d, "http://x/shared", "1", 10+last)
		for n := range last + 1 {
			answers(t, d, fmt.Sprintf("http://x/own%d", n), "1", 500)
		}
		if n := len(d.Entries()); n != last+2 {
			t.Fatalf("round %d: %d entries after load %d: %v", round, n, last, strings.Join(names(d), ", "))
		}
		must(t, d.Close())
	}
	if last < 0 {
		t.Error("no load was ever finished")
	}
}
