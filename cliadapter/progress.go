package cliadapter

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
)

// An observer shows what a Backend reports: a bar while sources are read when Err is
// a terminal, a line for each file when lines is set, and every failure.
type observer struct {
	err   io.Writer
	quiet bool
	lines bool
	bars  bool

	bar     *progressbar.ProgressBar
	total   int64          // of the bar
	status  command.Status // the line in its place
	file    fileLine
	written int // lines of files
	unshown int // files without a line
	skipped int
	failed  int
	loaded  []Loaded
}

// A fileLine sums up what came out of one file.
type fileLine struct {
	path     string
	counts   [len(kinds)]int
	concepts int
	took     time.Duration
}

// After maxLines files, only those with many concepts get a line.
const maxLines = 50

// observer makes the observer of a query: no lines, a bar on a terminal.
func (inv *invocation) observer() *observer {
	return &observer{err: inv.Err, quiet: inv.Is("quiet"), bars: inv.ErrTerminal && !inv.Is("quiet")}
}

// loud makes the observer of a command that loads: lines too.
func (inv *invocation) loud() *observer {
	o := inv.observer()
	o.lines = !inv.Is("quiet")
	return o
}

// Progress moves the bar. When everything is read and only the index remains to be built, it prints
// a line with the number of concepts.
func (o *observer) Progress(p loader.Progress) {
	path, read, total := p.Path, p.BytesRead, p.BytesTotal
	switch {
	case !o.bars || total == 0:
		return
	case read >= total && p.Concepts > 0:
		o.say("indexing " + command.Counted(p.Concepts, "concept"))
		return
	}
	if o.bar == nil || o.total != total || o.status.Text != "" {
		o.clear()
		o.total = total
		o.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(o.err),
			progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	// A bar that cannot be drawn is no reason to stop.
	o.bar.Describe(command.Printable(filepath.Base(path)))
	_ = o.bar.Set64(read)
}

// Resource counts a resource for the line of its file.
func (o *observer) Resource(r Loaded) {
	o.loaded = append(o.loaded, r)
	if r.File != o.file.path {
		o.endFile()
		o.file.path = r.File
	}
	if i := slices.Index(kinds[:], r.Kind); i >= 0 {
		o.file.counts[i]++
	}
	o.file.concepts += r.Concepts
	o.file.took += r.Time
}

// Skipped counts resources that are of no use here.
func (o *observer) Skipped(n int) { o.skipped += n }

// Warned prints a warning about a source that was read.
func (o *observer) Warned(text string) {
	if o.quiet {
		return
	}
	o.clear()
	fmt.Fprintln(o.err, "roget: warning: "+command.Printable(text))
}

// Failed prints an error that did not stop the work.
func (o *observer) Failed(err error) {
	o.clear()
	o.failed++
	fmt.Fprintln(o.err, "roget: "+command.Printable(err.Error()))
}

// endFile writes the line of the current file.
func (o *observer) endFile() {
	line := o.file
	o.file = fileLine{}
	if !o.lines || line.path == "" {
		return
	}
	if o.written >= maxLines && line.concepts < summaryConcepts {
		o.unshown++
		return
	}
	o.written++
	o.clear()
	var parts []string
	for i, kind := range kinds {
		if n := line.counts[i]; n > 0 {
			part := command.Counted(n, kind)
			if i == 0 {
				part += " (" + command.Counted(line.concepts, "concept") + ")"
			}
			parts = append(parts, part)
		}
	}
	fmt.Fprintf(o.err, "%s: %s in %s\n", command.Printable(line.path), strings.Join(parts, ", "), rounded(line.took))
}

// finish ends the last file, removes the bar, and prints a summary of the files without a line, once.
func (o *observer) finish() {
	o.endFile()
	o.clear()
	if o.lines && o.unshown > 0 {
		fmt.Fprintf(o.err, "and %s\n", command.Counted(o.unshown, "more small file"))
	}
	if o.lines && o.skipped > 0 {
		fmt.Fprintf(o.err, "skipped %s of other types\n", command.Counted(o.skipped, "resource"))
	}
	o.unshown, o.skipped = 0, 0
}

// say prints a line in place of the bar.
func (o *observer) say(text string) {
	if o.bar != nil {
		o.clear()
	}
	o.status.W = o.err
	o.status.Tell(text)
}

// clear removes the bar, or the line in its place.
func (o *observer) clear() {
	if o.bar != nil {
		_ = o.bar.Clear()
		o.bar = nil
	}
	o.status.Clear()
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
