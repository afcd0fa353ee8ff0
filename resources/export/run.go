package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/search"
)

// saveEvery is how often a job notes how far it is.
const saveEvery = time.Second

// run is a job that is being done.
type run struct {
	jobs   *Jobs
	entry  *entry
	job    Job // as it will be at the next note
	folder string

	owners   *index.Owners   // nil at system level
	patients map[string]bool // nil for all patients
	file     *os.File
	out      *bufio.Writer
	line     bytes.Buffer
	saved    time.Time
}

// do does the job from where it stands.
func (r *run) do(ctx context.Context) (err error) {
	if err := r.choose(ctx); err != nil {
		return err
	}
	if err := r.reopen(); err != nil {
		return err
	}
	defer func() {
		if r.file != nil {
			err = errors.Join(err, r.file.Close())
		}
	}()
	list := r.job.sections()
	for r.job.Section < len(list) {
		if err := r.section(ctx, &list[r.job.Section]); err != nil {
			return err
		}
		r.job.Section, r.job.Cursor = r.job.Section+1, ""
		if r.job.Section == len(list) || list[r.job.Section].typ != list[r.job.Section-1].typ {
			if err := errors.Join(r.close(), r.save()); err != nil {
				return err
			}
		}
	}
	return nil
}

// section exports the pages of a section.
func (r *run) section(ctx context.Context, s *section) error {
	for {
		params, err := r.job.Request.query(s.filters[len(s.filters)-1])
		if err != nil {
			return err
		}
		if r.job.Cursor != "" {
			params = append(params, search.Param{Name: search.CursorParam, Value: r.job.Cursor})
		}
		found, err := r.search(ctx, s.typ, params)
		if err != nil {
			return fmt.Errorf("%s: %w", s.typ, err)
		}
		known, err := r.known(ctx, s, found.Matches)
		if err != nil {
			return fmt.Errorf("%s: %w", s.typ, err)
		}
		for i := range found.Matches {
			m := &found.Matches[i]
			if known[m.ID] {
				continue
			}
			if err := r.write(m); err != nil {
				return err
			}
		}
		if r.job.Cursor = found.Next; r.job.Cursor == "" {
			return nil
		}
		if time.Since(r.saved) >= saveEvery {
			if err := r.save(); err != nil {
				return err
			}
		}
	}
}

// It waits while the search index is brought up to date.
func (r *run) search(ctx context.Context, typ string, params []search.Param) (resources.SearchResult, error) {
	for {
		found, err := r.jobs.source.Search(ctx, resources.SearchRequest{Type: typ, Params: params, Options: search.Options{
			Strict: true, At: r.job.At, DefaultCount: r.jobs.options.Page, MaxCount: r.jobs.options.Page, Bases: r.job.Request.Bases,
			Now: r.job.Started, // so that every page has the same query
		}})
		if !errors.Is(err, resources.ErrIndexing) {
			return found, err
		}
		select {
		case <-ctx.Done():
			return found, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// known returns the ids among matches that an earlier filter of the type has exported.
func (r *run) known(ctx context.Context, s *section, matches []index.Record) (map[string]bool, error) {
	const some = 500
	known := map[string]bool{}
	for _, filter := range s.filters[:len(s.filters)-1] {
		for from := 0; from < len(matches); from += some {
			params, err := r.job.Request.query(filter)
			if err != nil {
				return nil, err
			}
			var ids []string
			for i := range matches[from:min(from+some, len(matches))] {
				ids = append(ids, matches[from+i].ID)
			}
			params = append(params, search.Param{Name: "_id", Value: strings.Join(ids, ",")}, search.Param{Name: "_elements", Value: "id"})
			for {
				found, err := r.search(ctx, s.typ, params)
				if err != nil {
					return nil, err
				}
				for i := range found.Matches {
					known[found.Matches[i].ID] = true
				}
				if found.Next == "" {
					break
				}
				params = append(params[:len(params):len(params)], search.Param{Name: search.CursorParam, Value: found.Next})
			}
		}
	}
	return known, nil
}

// write writes a resource, unless it is of none of the patients.
func (r *run) write(m *index.Record) error {
	if r.owners != nil {
		ids, err := r.owners.Of(nil, m.Type, m.ID, m.Body, r.job.Request.Bases)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", m.Type, m.ID, err)
		}
		if !r.ofPatients(ids) {
			return nil
		}
	}
	last, err := r.open(m.Type)
	if err != nil {
		return err
	}
	r.line.Reset()
	if err := json.Compact(&r.line, m.Body); err != nil {
		return fmt.Errorf("%s/%s: %w", m.Type, m.ID, err)
	}
	r.line.WriteByte('\n')
	n, err := r.out.Write(r.line.Bytes())
	last.Bytes += int64(n)
	last.Count++
	return err
}

func (r *run) ofPatients(ids []string) bool {
	if r.patients == nil {
		return len(ids) > 0
	}
	for _, id := range ids {
		if r.patients[id] {
			return true
		}
	}
	return false
}

// open returns the file that resources of a type are written to. It begins another if there is
// none of this type, or if the last is full.
func (r *run) open(typ string) (*File, error) {
	number := 1
	if n := len(r.job.Files); n > 0 {
		last := &r.job.Files[n-1]
		if last.Type == typ {
			if r.file != nil && last.Bytes < r.jobs.options.MaxFile {
				return last, nil
			}
			for i := range r.job.Files {
				if r.job.Files[i].Type == typ {
					number++
				}
			}
		}
	}
	if err := r.close(); err != nil { // without a note, for only a part of the page may be written
		return nil, err
	}
	if err := r.create(File{Name: fmt.Sprintf("%s.%d.ndjson", typ, number), Type: typ}); err != nil {
		return nil, err
	}
	return &r.job.Files[len(r.job.Files)-1], nil
}

// create begins a file.
func (r *run) create(f File) error {
	file, err := os.OpenFile(filepath.Join(r.folder, f.Name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		r.file, r.out = file, bufio.NewWriterSize(file, 256<<10)
		r.job.Files = append(r.job.Files, f)
	}
	return err
}

// reopen opens the last file where the job continues, without what was written after the note.
func (r *run) reopen() error {
	n := len(r.job.Files)
	if n == 0 {
		return nil
	}
	last := &r.job.Files[n-1]
	file, err := os.OpenFile(filepath.Join(r.folder, last.Name), os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = file.Truncate(last.Bytes); err == nil {
		_, err = file.Seek(last.Bytes, 0)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	r.file, r.out = file, bufio.NewWriterSize(file, 256<<10)
	return nil
}

// close writes the open file to the end, durably, if there is one.
func (r *run) close() error {
	if r.file == nil {
		return nil
	}
	err := errors.Join(r.out.Flush(), r.file.Sync(), r.file.Close())
	r.file, r.out = nil, nil
	return err
}

// save makes durable what is written, and notes how far the job is, at the end of a page.
func (r *run) save() error {
	if r.out != nil {
		if err := errors.Join(r.out.Flush(), r.file.Sync()); err != nil {
			return err
		}
	}
	r.saved = time.Now()
	if err := r.job.save(r.folder); err != nil {
		return err
	}
	r.jobs.mu.Lock()
	defer r.jobs.mu.Unlock()
	r.entry.job = r.job.clone()
	return nil
}

const (
	// maxGroups is the maximum number of groups that a group may consist of.
	maxGroups = 1_000
	// maxPatients is the maximum number of patients of an export of a group.
	maxPatients = 1_000_000
)

// choose reads whose compartments are exported.
func (r *run) choose(ctx context.Context) error {
	q := &r.job.Request
	if q.Level == "" {
		return nil
	}
	r.owners = index.NewOwners(definitions.R4(), "Patient")
	if q.Level == "Group" {
		found, err := Members(ctx, r.jobs.source, q.Group, q.Bases)
		if err != nil {
			return err
		}
		r.patients = found
	}
	if q.Patients == nil {
		return nil
	}
	chosen := map[string]bool{}
	for _, id := range q.Patients {
		if r.patients == nil || r.patients[id] {
			chosen[id] = true
		}
	}
	r.patients = chosen
	return nil
}

// A Reader reads resources.
type Reader interface {
	Read(ctx context.Context, typ, id string) (resources.Version, error)
}

// Members returns the ids of the active patients of a group, and of the groups in it.
func Members(ctx context.Context, source Reader, id string, bases []string) (map[string]bool, error) {
	patients, groups, waiting := map[string]bool{}, map[string]bool{id: true}, []string{id}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		v, err := source.Read(ctx, "Group", at)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", at, err)
		}
		var group struct {
			Member []struct {
				Entity   struct{ Reference string }
				Inactive bool
			}
		}
		if err := json.Unmarshal(v.Body, &group); err != nil {
			return nil, fmt.Errorf("group %s: %w", at, err)
		}
		for _, m := range group.Member {
			key := index.LocalKey(m.Entity.Reference, bases)
			switch {
			case m.Inactive:
			case key.Type == "Patient":
				patients[key.ID] = true
			case key.Type == "Group" && !groups[key.ID]:
				groups[key.ID] = true
				waiting = append(waiting, key.ID)
			}
		}
		if len(groups) > maxGroups || len(patients) > maxPatients {
			return nil, fmt.Errorf("group %s has more than %d groups or %d patients", clip(id), maxGroups, maxPatients)
		}
	}
	return patients, nil
}
