// Package runfolder stores a security audit on disk while it runs. Every result is written and synced
// before the next check begins, so that a run that was killed can be resumed. Platform toolkit, section
// 5.12.
//
// A folder has manifest.json, report.jsonl with one result on each line (the spine), and report.md, which
// grow with the run. At its end, the other formats are written, and then the manifest with completed:
// true.
package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/audit/report"
	"github.com/roget-health/roget/internal/durable"
)

// Names of the files in a folder.
const (
	manifestFile = "manifest.json"
	spineFile    = "report.jsonl"
	loginFile    = "login-attempted"
	graphFile    = "sharing-graph.json"
	reportName   = "report."
)

// Modes: a report shows where a platform is weak, so only its owner may read it.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// maxFile limits the manifest and the spine, in bytes.
const maxFile = 512 << 20

// Errors of folders.
var (
	ErrNoRun      = errors.New("it is no folder of a security audit")
	ErrOtherRun   = errors.New("the run is of another platform or profile")
	ErrBusy       = errors.New("another process is at work on this run")
	ErrLoginTried = errors.New("the login was tried before the run was interrupted, and is not tried twice")
)

// A Run is the folder of an audit.
type Run struct {
	Path     string
	Manifest audit.Manifest
	Results  []audit.Result

	formats []report.Format
	spine   *os.File
	md      *os.File
}

// Name returns the name of the folder of a run: platform-security-<profile>-<UTC time>.
func Name(m audit.Manifest) string {
	profile := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return -1
	}, m.Profile)
	at := m.StartedAt.UTC()
	return fmt.Sprintf("platform-security-%s-%s%06dZ", profile, at.Format("20060102T150405"), at.Nanosecond()/1000)
}

// Create makes the folder of a new run below a parent. It fails if the folder exists.
func Create(parent string, m audit.Manifest, formats []report.Format) (*Run, error) {
	m.Completed = false
	r := &Run{Path: filepath.Join(parent, Name(m)), Manifest: m, formats: formats}
	if err := os.MkdirAll(parent, folderMode); err != nil {
		return nil, err
	}
	if err := os.Mkdir(r.Path, folderMode); err != nil {
		return nil, err
	}
	err := r.writeManifest()
	if err == nil {
		r.spine, err = os.OpenFile(r.file(spineFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	}
	if err == nil {
		err = lock(r.spine)
	}
	if err == nil {
		err = r.openMarkdown()
	}
	if err == nil {
		err = durable.SyncFolder(r.Path)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Open reads a folder. A last line of the spine that was cut off in the middle is ignored.
func Open(path string) (*Run, error) {
	r := &Run{Path: path}
	text, err := readFile(r.file(manifestFile), maxFile)
	if err == nil {
		if json.Unmarshal(text, &r.Manifest) != nil {
			err = errors.New("its " + manifestFile + " cannot be read")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrNoRun, err)
	}
	text, err = readFile(r.file(spineFile), maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrNoRun, err)
	}
	r.Results, _, err = parseSpine(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Resume opens a folder to continue its run on a platform. A completed run is opened for rendering only.
func Resume(path, target, profile string, formats []report.Format) (*Run, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	if r.Manifest.Target != target || r.Manifest.Profile != profile {
		return nil, fmt.Errorf("%s: %w: it is of %s with profile %q, not of %s with profile %q", path, ErrOtherRun, r.Manifest.Target, r.Manifest.Profile, target, profile)
	}
	r.formats = formats
	if r.Manifest.Completed {
		return r, nil
	}
	if r.spine, err = os.OpenFile(r.file(spineFile), os.O_WRONLY|os.O_APPEND, fileMode); err != nil {
		return nil, err
	}
	var text []byte
	whole := 0
	if err = lock(r.spine); err == nil {
		text, err = readFile(r.file(spineFile), maxFile) // as it is now that no other process writes
	}
	if err == nil {
		r.Results, whole, err = parseSpine(text)
	}
	if err == nil && whole < len(text) {
		err = errors.Join(r.spine.Truncate(int64(whole)), r.spine.Sync())
	}
	if err == nil {
		err = r.openMarkdown()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), r.Close())
	}
	return r, nil
}

// Left returns the checks that have not run.
func (r *Run) Left() []audit.Key {
	return slices.DeleteFunc(slices.Clone(r.Manifest.CheckOrder), func(k audit.Key) bool {
		return slices.ContainsFunc(r.Results, func(done audit.Result) bool { return done.Check == k })
	})
}

// Add stores the result of a check durably.
func (r *Run) Add(result audit.Result) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if _, err = r.spine.Write(append(text, '\n')); err == nil {
		err = r.spine.Sync()
	}
	if err != nil {
		return fmt.Errorf("store the result of check %s: %w", result.Check, err)
	}
	r.Results = append(r.Results, result)
	if r.md != nil {
		err = errors.Join(report.MarkdownCheck(r.md, result), r.md.Sync())
	}
	return err
}

// Report returns the report of what has run so far.
func (r *Run) Report() audit.Report { return audit.NewReport(r.Manifest, r.Results) }

// Finish writes the formats and marks the run as completed.
func (r *Run) Finish() error {
	if left := r.Left(); len(left) > 0 {
		return fmt.Errorf("checks are left to run: %v", left)
	}
	r.Manifest.Completed = true
	if err := r.Render(r.formats); err != nil {
		return err
	}
	return r.writeManifest()
}

// Render writes the report in some formats, in place of those that are there. It does not change the
// spine.
func (r *Run) Render(formats []report.Format) error {
	for _, format := range formats {
		var b bytes.Buffer
		err := format.Write(&b, r.Report())
		if err == nil {
			err = replace(r.file(reportName+string(format)), b.Bytes())
		}
		if err != nil {
			return fmt.Errorf("write report.%s: %w", format, err)
		}
	}
	return durable.SyncFolder(r.Path)
}

// AttemptLogin records durably that the login of the credential probe is tried. If it was tried before,
// it returns ErrLoginTried.
func (r *Run) AttemptLogin() error {
	file, err := os.OpenFile(r.file(loginFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return ErrLoginTried
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close(), durable.SyncFolder(r.Path))
}

// WriteGraph stores the graph of sharing.
func (r *Run) WriteGraph(g audit.Graph) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return replace(r.file(graphFile), append(text, '\n'))
}

// Close closes the files.
func (r *Run) Close() error {
	var err error
	for _, file := range []*os.File{r.spine, r.md} {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}
	r.spine, r.md = nil, nil
	return err
}

func (r *Run) file(name string) string { return filepath.Join(r.Path, name) }

// openMarkdown begins report.md, with the results so far, and leaves it open for more.
func (r *Run) openMarkdown() error {
	if !slices.Contains(r.formats, report.Markdown) {
		return nil
	}
	var b bytes.Buffer
	err := report.MarkdownHead(&b, r.Manifest)
	for _, result := range r.Results {
		err = errors.Join(err, report.MarkdownCheck(&b, result))
	}
	name := r.file(reportName + string(report.Markdown))
	if err == nil {
		err = replace(name, b.Bytes())
	}
	if err == nil {
		r.md, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, fileMode)
	}
	return err
}

func (r *Run) writeManifest() error {
	text, err := json.MarshalIndent(r.Manifest, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(replace(r.file(manifestFile), append(text, '\n')), durable.SyncFolder(r.Path))
}

// parseSpine reads results, and returns the length of the lines that are whole. The last line may have
// been cut off.
func parseSpine(text []byte) (results []audit.Result, whole int, err error) {
	results = []audit.Result{}
	for whole < len(text) {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			break
		}
		var result audit.Result
		if json.Unmarshal(text[whole:whole+end], &result) != nil || !slices.Contains(audit.Keys(), result.Check) {
			if whole+end+1 == len(text) { // the last line
				break
			}
			return nil, 0, fmt.Errorf("line %d of %s cannot be read", len(results)+1, spineFile)
		}
		results = append(results, result)
		whole += end + 1
	}
	return results, whole, nil
}

func readFile(name string, most int) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is longer than %d bytes", name, most)
	}
	return text, err
}

// replace writes a file as a whole and durably.
func replace(name string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	if _, err = file.Write(content); err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
