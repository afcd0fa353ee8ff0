package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// A State is how far a job is.
type State string

// The states of a job.
const (
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
	// Refused is an import whose permissions cannot be checked any more.
	Refused State = "refused"
)

// A Job is an export or an import as it stands.
type Job struct {
	ID      string    `json:"id"`
	Request Request   `json:"request"`
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// At is the state of the store that the job shows.
	At    index.Seq `json:"at"`
	Files []File    `json:"files,omitempty"`
	// Problem says why the job failed.
	Problem string `json:"problem,omitempty"`

	// Next is where the job continues: the section (see sections) or input, the page in it, and what
	// of the last file is written.
	Section int    `json:"section"`
	Cursor  string `json:"cursor,omitempty"`
	// Counts are the numbers of resources of each input that are stored.
	Counts []int `json:"counts,omitempty"`
}

// A File is one file of a job, with resources of one type: OperationOutcomes in an import.
type File struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
	// Input is the number of the input that the file is about.
	Input int `json:"input,omitempty"`
}

// clone returns a copy that does not change.
func (j *Job) clone() Job {
	c := *j
	c.Files, c.Counts = slices.Clone(j.Files), slices.Clone(j.Counts)
	return c
}

// section is a part of a job: the resources of a type that meet one of its filters.
type section struct {
	typ     string
	filters []string // the last is that of the section; those before have been exported
}

// sections returns the parts of the job in order.
func (j *Job) sections() []section {
	var list []section
	for _, typ := range j.Request.Types {
		filters := j.Request.filtersOf(typ)
		for i := range filters {
			list = append(list, section{typ, filters[:i+1]})
		}
	}
	return list
}

// Progress says how far a job is, in words for a header.
func (j *Job) Progress() string {
	if n := len(j.Request.Inputs); n > 0 && j.State == Running {
		stored := 0
		for _, count := range j.Counts {
			stored += count
		}
		return fmt.Sprintf("file %d of %d, %d resources stored", min(j.Section+1, n), n, stored)
	}
	list := j.sections()
	if j.State != Running || j.Section >= len(list) {
		return string(j.State)
	}
	n := 0
	for i := range j.Files {
		n += j.Files[i].Count
	}
	at := list[j.Section].typ
	return fmt.Sprintf("%s, type %d of %d, %d resources written", at, slices.Index(j.Request.Types, at)+1, len(j.Request.Types), n)
}

// TransactionTime returns the time of the state that the job shows.
func (j *Job) TransactionTime() time.Time {
	if j.At == 0 {
		return j.Started.UTC().Truncate(time.Millisecond)
	}
	return j.At.Time()
}

// Lasts reports whether the job is still there at a time, if finished jobs are kept for a while.
func (j *Job) lasts(now time.Time, keep time.Duration) bool {
	return j.State == Running || now.Before(j.Ended.Add(keep))
}

const (
	jobFile = "job.json"
	// maxJobFile is the maximum size of a job's description in bytes.
	maxJobFile = 8 << 20
)

var jobID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// save writes the description of a job so that it is whole whenever the process ends.
func (j *Job) save(folder string) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, jobFile)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // in the folder of a job
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// readJob reads the description of a job in its folder.
func readJob(folder string) (*Job, error) {
	path := filepath.Join(folder, jobFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxJobFile {
		return nil, fmt.Errorf("%s has %d bytes", path, info.Size())
	}
	text, err := os.ReadFile(path) //nolint:gosec // in the folder of a job
	if err != nil {
		return nil, err
	}
	j := &Job{}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if j.ID != filepath.Base(folder) || j.Section < 0 || len(j.Counts) != len(j.Request.Inputs) || slices.ContainsFunc(j.Files, func(f File) bool { return !isFileName(f.Name) }) {
		return nil, fmt.Errorf("%s is not a description of this job", path)
	}
	return j, nil
}

// isFileName reports whether a name is one that a job gives its files: "Patient.1.ndjson".
func isFileName(name string) bool {
	typ, rest, _ := strings.Cut(name, ".")
	number, ok := strings.CutSuffix(rest, ".ndjson")
	return ok && isName(typ) && number != "" && strings.Trim(number, "0123456789") == "" && fs.ValidPath(name)
}
