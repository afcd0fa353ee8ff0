package lists

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// echo is a worker that repeats records: those that begin with n are a no, with b broken, with e
// empty, and - does not count.
func echo(dst []byte, rec *Record) ([]byte, Verdict, error) {
	dst = fmt.Appendf(dst, "%d:%s\n", rec.Line, rec.Text)
	switch string(rec.Text[:min(1, len(rec.Text))]) {
	case "n":
		return dst, No, nil
	case "b":
		return dst, Broken, errors.New("broken")
	case "e":
		return dst, Empty, nil
	case "-":
		return dst, Passed, nil
	case "!":
		return dst, Broken, fmt.Errorf("worker: %w", &Stop{errors.New("stop")})
	}
	return dst, Yes, nil
}

// TestRunKeepsOrder: whatever the number of workers and however long they take, the output is that
// of one worker.
func TestRunKeepsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text, want strings.Builder
	var counts Tally
	var faults []int
	for line := 1; line <= 20_000; line++ {
		word := string("ynbe-"[random.IntN(5)]) + strings.Repeat("x", random.IntN(200))
		fmt.Fprintln(&text, word)
		fmt.Fprintf(&want, "%d:%s\n", line, word)
		switch word[0] {
		case 'y':
			counts.Yes++
		case 'n':
			counts.No++
		case 'e':
			counts.Empty++
		case 'b':
			counts.Broken++
			faults = append(faults, line)
		}
	}
	for _, workers := range []int{1, 2, 7} {
		var out strings.Builder
		var told []int
		var last Tally
		tally, err := Run(t.Context(), NewReader(strings.NewReader(text.String()), Options{Format: Lines}), Job{
			Workers: workers,
			Worker: func() Worker {
				var n int
				return func(dst []byte, rec *Record) ([]byte, Verdict, error) {
					if n++; n%1000 == 0 {
						time.Sleep(time.Millisecond)
					}
					return echo(dst, rec)
				}
			},
			Write: func(block []byte) error { _, err := out.Write(block); return err },
			Report: func(t Tally, list []Fault) {
				last = t
				for _, f := range list {
					told = append(told, f.Line)
				}
			},
		})
		if err != nil || tally != counts || last != counts || tally.Total() != counts.Yes+counts.No+counts.Empty+counts.Broken {
			t.Errorf("%d workers: %+v, %+v, want %+v, %v", workers, tally, last, counts, err)
		}
		if out.String() != want.String() || fmt.Sprint(told) != fmt.Sprint(faults) {
			t.Errorf("%d workers: the output is not in order", workers)
		}
	}
}

// TestRunAnswersAtOnce: a record is answered before the next one is there.
func TestRunAnswersAtOnce(t *testing.T) {
	in, lines := io.Pipe()
	answers := make(chan string)
	done := make(chan error)
	go func() {
		_, err := Run(t.Context(), NewReader(in, Options{Format: CSV}), Job{
			Workers: 2, Worker: func() Worker { return echo }, Report: func(Tally, []Fault) {},
			Write: func(block []byte) error { answers <- string(block); return nil },
		})
		done <- err
	}()
	for n := 1; n <= 3; n++ {
		fmt.Fprintf(lines, "code%d\n", n)
		if got, want := <-answers, fmt.Sprintf("%d:code%[1]d\n", n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	_ = lines.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestRunEnds: an error of the source, of the output and of a worker, and the end of the context
// end the run. Workers do not outlive it.
func TestRunEnds(t *testing.T) {
	var working atomic.Int32
	worker := func() Worker {
		return func(dst []byte, rec *Record) ([]byte, Verdict, error) {
			working.Add(1)
			defer working.Add(-1)
			return echo(dst, rec)
		}
	}
	full := errors.New("the disk is full")
	long := strings.Repeat("y\n", 100_000)
	ctx, cancel := context.WithCancel(t.Context())
	tests := []struct {
		name  string
		ctx   context.Context
		in    io.Reader
		write func([]byte) error
		want  string
	}{
		{"output", t.Context(), strings.NewReader(long), func([]byte) error { return full }, full.Error()},
		{"worker", t.Context(), strings.NewReader("y\n!\n" + long), func([]byte) error { return nil }, "stop"},
		{"source", t.Context(), io.MultiReader(strings.NewReader(long), failing{}), func([]byte) error { return nil }, "no more"},
		{"context", ctx, blocked(t), func([]byte) error { cancel(); return nil }, context.Canceled.Error()},
		{"context before", ctx, strings.NewReader(long), func([]byte) error { return nil }, context.Canceled.Error()},
	}
	for _, tt := range tests {
		_, err := Run(tt.ctx, NewReader(tt.in, Options{Format: Lines}), Job{Workers: 3, Worker: worker, Write: tt.write, Report: func(Tally, []Fault) {}})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if n := working.Load(); n != 0 {
			t.Errorf("%s: %d workers work on", tt.name, n)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("no more") }

// blocked returns a source that has one line and then waits.
func blocked(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	go func() { _, _ = w.Write([]byte("y\n")) }()
	return r
}

// TestRunIsBounded: the source is not read further ahead of a slow output than some batches.
func TestRunIsBounded(t *testing.T) {
	const workers = 2
	source := &counter{r: io.LimitReader(endlessLines{}, 32<<20)}
	var written, most int64
	_, err := Run(t.Context(), NewReader(source, Options{Format: Lines}), Job{
		Workers: workers, Worker: func() Worker {
			return func(dst []byte, rec *Record) ([]byte, Verdict, error) { return append(dst, rec.Text...), Yes, nil }
		},
		Write: func(block []byte) error {
			if written%(1<<20) < int64(len(block)) {
				time.Sleep(time.Millisecond)
			}
			most = max(most, source.n.Load()-written)
			written += int64(len(block)) // without line endings
			return nil
		},
		Report: func(Tally, []Fault) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64((3*workers+3)*2*batchBytes + 2*readSize + 32<<20/100); most > limit {
		t.Errorf("%d bytes were read ahead of the output, more than %d", most, limit)
	}
}

// endlessLines has lines of 100 bytes.
type endlessLines struct{}

func (endlessLines) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat(strings.Repeat("y", 99)+"\n", len(p)/100+1))
	return n, nil
}
