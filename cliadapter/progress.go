package cliadapter

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// An observer shows what a Backend reports: a bar while a file is read when Err is a
// terminal, a line for each file when lines is set, and every failure.
type observer struct {
	err   io.Writer
	lines bool
	bars  bool
	now   func() time.Time

	bar     *progressbar.ProgressBar
	path    string
	began   time.Time
	counts  map[string]int // of the current file, by kind
	concept int
	skipped int
	failed  int
	loaded  []Loaded
}

// observer makes the observer of a query: no lines, a bar on a terminal.
func (inv *invocation) observer() *observer {
	return &observer{err: inv.streams.Err, bars: inv.streams.ErrTerminal && !inv.is("quiet"), now: time.Now}
}

// loud makes the observer of a command that loads: lines too.
func (inv *invocation) loud() *observer {
	o := inv.observer()
	o.lines = !inv.is("quiet")
	return o
}

// File starts a file.
func (o *observer) File(path string, size int64) {
	o.clear()
	o.path, o.began, o.counts, o.concept = path, o.now(), map[string]int{}, 0
	if o.bars && size != 0 {
		o.bar = progressbar.NewOptions64(size,
			progressbar.OptionSetWriter(o.err),
			progressbar.OptionSetDescription(printable(filepath.Base(path))),
			progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
}

// Read moves the bar.
func (o *observer) Read(n int) {
	if o.bar != nil {
		_ = o.bar.Add(n) // a bar that cannot be drawn is no reason to stop
	}
}

// Resource counts a resource.
func (o *observer) Resource(r Loaded) {
	o.loaded = append(o.loaded, r)
	if o.counts != nil {
		o.counts[r.Kind]++
		o.concept += r.Concepts
	}
}

// Skipped counts a file that is of no use here.
func (o *observer) Skipped(string, string) { o.skipped++ }

// Failed prints an error that did not stop the work.
func (o *observer) Failed(err error) {
	o.clear()
	o.failed++
	fmt.Fprintln(o.err, "roget: "+printable(err.Error()))
}

// Done ends the current file with its line, unless it held nothing of use.
func (o *observer) Done() {
	o.clear()
	if !o.lines || len(o.counts) == 0 {
		return
	}
	var parts []string
	for _, kind := range kinds {
		if n := o.counts[kind]; n > 0 {
			part := counted(n, kind)
			if kind == kinds[0] {
				part += " (" + counted(o.concept, "concept") + ")"
			}
			parts = append(parts, part)
		}
	}
	fmt.Fprintf(o.err, "%s: %s in %s\n", printable(o.path), strings.Join(parts, ", "), rounded(o.now().Sub(o.began)))
}

// finish removes a bar that is left, and tells of skipped files.
func (o *observer) finish() {
	o.clear()
	if o.lines && o.skipped > 0 {
		fmt.Fprintf(o.err, "skipped %s without code systems, value sets or concept maps\n", counted(o.skipped, "file"))
	}
}

func (o *observer) clear() {
	if o.bar != nil {
		_ = o.bar.Clear()
		o.bar = nil
	}
}

// counted writes "1 file", "2 files".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// rounded writes a duration with a sensible number of digits.
func rounded(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Millisecond).String()
	}
}
