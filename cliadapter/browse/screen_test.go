package browse_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v3/vt"

	"github.com/roget-health/roget/cliadapter/browse"
)

// A terminal is tcell's emulator, which also keeps what was written.
type terminal struct {
	vt.MockTerm
	mu      sync.Mutex
	written bytes.Buffer
}

func (s *terminal) Write(data []byte) (int, error) {
	s.mu.Lock()
	s.written.Write(data)
	s.mu.Unlock()
	return s.MockTerm.Write(data)
}

func (s *terminal) wrote(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.written.String(), text)
}

// text returns what a row shows.
func (s *terminal) text(row int) string {
	size, err := s.WindowSize()
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for x := 0; x < size.Width; x++ {
		c := s.GetCell(vt.Coord{X: vt.Col(x), Y: vt.Row(row)})
		b.WriteString(c.C)
		x += max(c.W-1, 0)
	}
	return strings.TrimRight(b.String(), " ")
}

// until waits until something is true.
func until(t *testing.T, s *terminal, what string, true func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s\n%s\n%s\n%s", what, s.text(0), s.text(1), s.text(2))
		}
	}
}

// start runs a browser on an emulator. stop ends it.
func start(t *testing.T, m *browse.Model, width, height int) (s *terminal, ended chan error, stop func()) {
	t.Helper()
	s = &terminal{MockTerm: vt.NewMockTerm(vt.MockOptSize{X: vt.Col(width), Y: vt.Row(height)})}
	ctx, cancel := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- browse.Run(ctx, m, s) }()
	return s, ended, cancel
}

// TestRun drives a browser on an emulated terminal: keys as bytes, cells of the screen, a resize, and
// the clipboard.
func TestRun(t *testing.T) {
	m := browse.New([]browse.System{letters(t), hostile(t)}, 0)
	s, ended, stop := start(t, m, 60, 12)
	defer stop()
	shows := func(row int, want string) {
		t.Helper()
		until(t, s, want, func() bool { return s.text(row) == want })
	}
	shows(1, "▾ a  Alpha")
	s.SendRaw([]byte("\x1b[B\x1b[C")) // down, right
	shows(2, "  ▾ b  Beta")
	shows(4, "      e  Epsilon  ↖2")
	s.SendRaw([]byte("/gam"))
	shows(1, "find gam▏  in all code systems, 1 found")
	s.SendRaw([]byte("\r"))
	shows(5, "  ▸ c  Gamma  (1)")
	s.SendRaw([]byte("Y"))
	shows(11, "copied http://example.org/letters|c")
	until(t, s, "the clipboard", func() bool {
		return s.wrote("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("http://example.org/letters|c")))
	})
	s.SetSize(vt.Coord{X: 100, Y: 8})
	shows(1, "▾ a  Alpha"+strings.Repeat(" ", 45)+" │ c")
	s.SetSize(vt.Coord{X: 15, Y: 8})
	shows(0, "too small")
	s.SetSize(vt.Coord{X: 40, Y: 20})
	shows(1, "▾ a  Alpha")
	s.SendRaw([]byte("s\x1b[B\r\x1b[C")) // the hostile system: nothing in it acts, and columns stay
	shows(1, "▾ root   ]52;c;eA==  [2J")
	if s.wrote("eA==\x07") {
		t.Error("a display wrote to the clipboard")
	}
	s.SendRaw([]byte("q"))
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestRunEnds(t *testing.T) {
	s, ended, stop := start(t, browse.New([]browse.System{letters(t)}, 0), 60, 12)
	until(t, s, "the tree", func() bool { return s.text(1) == "▾ a  Alpha" })
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s, ended, stop = start(t, browse.New([]browse.System{letters(t)}, 0), 60, 12)
	defer stop()
	until(t, s, "the tree", func() bool { return s.text(1) == "▾ a  Alpha" })
	s.SendRaw([]byte{3}) // control and c
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
