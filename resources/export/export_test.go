package export_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/export"
)

// store returns a service with patients, each with observations and one practitioner for all, and a
// group of every third patient.
func store(t *testing.T, patients int) *resources.Service {
	t.Helper()
	service := resources.NewService(memory.New(), nil, resources.WithoutValidation())
	put := func(typ, id, body string) {
		t.Helper()
		if _, err := service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put("Practitioner", "x", `{"resourceType":"Practitioner","id":"x"}`)
	var members []string
	for p := range patients {
		id := fmt.Sprintf("p%d", p)
		put("Patient", id, `{"resourceType":"Patient","id":"`+id+`"}`)
		for o := range 3 {
			oid := fmt.Sprintf("o%d-%d", p, o)
			put("Observation", oid, fmt.Sprintf(`{"resourceType":"Observation","id":"%s","status":"%s","code":{"coding":[{"system":"s","code":"c%d"}]},`+"\n"+`"subject":{"reference":"Patient/%s"}}`,
				oid, []string{"final", "amended", "final"}[o], o, id))
		}
		if p%3 == 0 {
			members = append(members, fmt.Sprintf(`{"entity":{"reference":"Patient/%s"},"inactive":%v}`, id, p%2 == 1))
		}
	}
	put("Group", "inner", `{"resourceType":"Group","id":"inner","type":"person","actual":true,"member":[`+strings.Join(members, ",")+`]}`)
	put("Group", "g", `{"resourceType":"Group","id":"g","type":"person","actual":true,"member":[{"entity":{"reference":"Group/inner"}},{"entity":{"reference":"Group/g"}},`+
		`{"entity":{"reference":"https://elsewhere.example/Patient/p1"}},{"entity":{"reference":"https://here.example/Patient/p2"}}]}`)
	return service
}

// jobs opens a folder of jobs.
func jobs(t *testing.T, folder string, source export.Source) *export.Jobs {
	t.Helper()
	j, err := export.Open(folder, source, export.Options{MaxFile: 2000, Page: 7})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// finish runs jobs until one has ended.
func finish(t *testing.T, j *export.Jobs, id string) export.Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		j.Run(ctx)
	}()
	defer func() { cancel(); <-done }()
	for {
		job, err := j.Job(id, "")
		if err != nil {
			t.Fatal(err)
		}
		if job.State != export.Running {
			return job
		}
		time.Sleep(time.Millisecond)
	}
}

// written returns the resources of a finished job by key. Each is in one file, with its type.
func written(t *testing.T, j *export.Jobs, job *export.Job) map[string]string {
	t.Helper()
	found, files := map[string]string{}, map[string]int{}
	for _, f := range job.Files {
		files[f.Type]++
		if want := fmt.Sprintf("%s.%d.ndjson", f.Type, files[f.Type]); f.Name != want {
			t.Errorf("%s, want %s", f.Name, want)
		}
		file, _, err := j.Open(job.ID, job.Request.Owner, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		count := 0
		for ; lines.Scan(); count++ {
			var head struct {
				ResourceType, ID string
				Meta             struct{ VersionID string }
			}
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil || head.ResourceType != f.Type {
				t.Fatalf("%s: %v in %.100s", f.Name, err, lines.Text())
			}
			key := head.ResourceType + "/" + head.ID
			if _, twice := found[key]; twice {
				t.Errorf("%s is exported twice", key)
			}
			found[key] = head.Meta.VersionID
		}
		if count != f.Count || lines.Err() != nil {
			t.Errorf("%s has %d lines, not %d: %v", f.Name, count, f.Count, lines.Err())
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestLevels exports everything, compartments, groups, types, filters and what is new.
func TestLevels(t *testing.T) {
	const patients = 20
	service := store(t, patients)
	j := jobs(t, t.TempDir(), service)
	for name, row := range map[string]struct {
		request export.Request
		want    int
	}{
		"all":             {export.Request{}, 1 + patients*4 + 2},
		"types":           {export.Request{Types: []string{"Practitioner", "Patient"}}, 1 + patients},
		"patients":        {export.Request{Level: "Patient"}, patients*4 + 1},                         // and the group that names patients
		"a patient":       {export.Request{Level: "Patient", Patients: []string{"p0", "p1", "q"}}, 9}, // p0 is in a group
		"group":           {export.Request{Level: "Group", Group: "g", Types: []string{"Patient", "Observation"}}, 4 * 4},
		"of this server":  {export.Request{Level: "Group", Group: "g", Types: []string{"Patient"}, Bases: []string{"https://here.example"}}, 5},
		"one of a group":  {export.Request{Level: "Group", Group: "g", Patients: []string{"p6", "p1"}, Types: []string{"Observation"}}, 3},
		"filter":          {export.Request{Filters: []string{"Observation?status=final"}, Types: []string{"Observation"}}, 2 * patients},
		"filters overlap": {export.Request{Filters: []string{"Observation?status=final", "Observation?code=s|c0,s|c1"}, Types: []string{"Observation"}}, 3 * patients},
		"of two types":    {export.Request{Filters: []string{"Observation?code=s|c1", "Patient?_id=p1"}}, 1 + 1 + patients + 2},
		"new":             {export.Request{Since: time.Now().Add(time.Hour)}, 0},
		"nothing":         {export.Request{Types: []string{"Encounter"}}, 0},
	} {
		if err := row.request.Complete(service.Types()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id, err := j.Start(t.Context(), row.request)
		if err != nil {
			t.Fatal(err)
		}
		job := finish(t, j, id)
		if found := written(t, j, &job); job.State != export.Done || len(found) != row.want {
			t.Errorf("%s: %s, %d resources, want %d (%s) %v", name, job.State, len(found), row.want, job.Problem, slices.Sorted(maps.Keys(found)))
		}
	}
}

// TestInterrupted stops jobs again and again, each time with the folder as a killed process would
// leave it, while the store changes. The export is the store at its start.
func TestInterrupted(t *testing.T) {
	service := store(t, 40)
	want := map[string]string{}
	for _, typ := range service.Types() {
		if err := service.Each(t.Context(), typ, func(v resources.Version) error {
			want[v.Type+"/"+v.ID] = fmt.Sprint(v.VersionID)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	first := jobs(t, folder, service)
	request := export.Request{}
	if err := request.Complete(service.Types()); err != nil {
		t.Fatal(err)
	}
	id, err := first.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	stops := 0
	for n := 0; ; n++ {
		if _, err := service.Update(t.Context(), "Observation", fmt.Sprintf("o%d-0", n%40), fmt.Appendf(nil, `{"resourceType":"Observation","id":"o%d-0","status":"final","code":{"text":"%d"}}`, n%40, n), resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		s := &interrupted{Service: service, left: 1 + random.IntN(9)}
		again := jobs(t, folder, s)
		ctx, cancel := context.WithCancel(t.Context())
		s.stop = cancel
		done := make(chan struct{})
		go func() { defer close(done); again.Run(ctx) }()
		for ctx.Err() == nil {
			job, err := again.Job(id, "")
			if err != nil {
				t.Fatal(err)
			}
			if job.State != export.Running {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
		<-done
		job, err := again.Job(id, "")
		if err != nil {
			t.Fatal(err)
		}
		if job.State == export.Running {
			stops++
			litter(t, filepath.Join(folder, id))
			continue
		}
		got := written(t, again, &job)
		if job.State != export.Done || !maps.Equal(got, want) {
			t.Fatalf("%s (%s): %d resources, want %d", job.State, job.Problem, len(got), len(want))
		}
		break
	}
	if stops < 3 {
		t.Errorf("interrupted %d times only", stops)
	}
}

// interrupted is a source at which the process ends after some pages.
type interrupted struct {
	*resources.Service
	left int
	stop func()
}

func (s *interrupted) Search(ctx context.Context, r resources.SearchRequest) (resources.SearchResult, error) {
	if s.left--; s.left == 0 {
		s.stop()
		return resources.SearchResult{}, context.Canceled
	}
	return s.Service.Search(ctx, r)
}

// litter appends half a line to each file, which a killed process may have written after its last
// note.
func litter(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var job export.Job
	text, err := os.ReadFile(filepath.Join(folder, "job.json"))
	if err == nil {
		err = json.Unmarshal(text, &job)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		last := len(job.Files) > 0 && job.Files[len(job.Files)-1].Name == filepath.Base(path)
		noted := slices.ContainsFunc(job.Files, func(f export.File) bool { return f.Name == filepath.Base(path) })
		if noted && !last {
			continue // complete
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteString(`{"resourceType":"Pat`)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJobs is about whose jobs are whose, how many are kept, and what is removed.
func TestJobs(t *testing.T) {
	service := store(t, 2)
	folder := t.TempDir()
	j, err := export.Open(folder, service, export.Options{MaxJobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	request := export.Request{Owner: "ann"}
	if err := request.Complete(service.Types()); err != nil {
		t.Fatal(err)
	}
	id, err := j.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"", "bob"} {
		if _, err := j.Job(id, owner); !errors.Is(err, export.ErrUnknown) {
			t.Errorf("%q sees the job: %v", owner, err)
		}
		if err := j.Remove(id, owner); !errors.Is(err, export.ErrUnknown) {
			t.Errorf("%q removes the job: %v", owner, err)
		}
	}
	if _, _, err := j.Open(id, "ann", "Patient.1.ndjson"); !errors.Is(err, export.ErrUnknown) {
		t.Errorf("a file of a running job: %v", err)
	}
	if _, err := j.Start(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Start(t.Context(), request); !errors.Is(err, export.ErrBusy) {
		t.Errorf("a third job: %v", err)
	}
	if err := j.Remove(id, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, id)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	for _, name := range []string{"job.json", "../job.json", ""} {
		if _, _, err := j.Open(id, "ann", name); !errors.Is(err, export.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	// What a process left behind that was killed when it started a job is removed.
	if err := os.MkdirAll(filepath.Join(folder, strings.Repeat("ab", 16)), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := export.Open(folder, service, export.Options{}); err != nil {
		t.Fatal(err)
	}
	if found, err := os.ReadDir(folder); err != nil || len(found) != 1 {
		t.Errorf("%d folders, %v", len(found), err)
	}
}

// TestRequests lists what cannot be exported.
func TestRequests(t *testing.T) {
	for _, row := range []struct {
		request export.Request
		param   string
	}{
		{export.Request{Types: []string{"Hound"}}, "_type"},
		{export.Request{Level: "Patient", Types: []string{"Organization"}}, "_type"},
		{export.Request{Filters: []string{"status=final"}}, "_typeFilter"},
		{export.Request{Filters: []string{"Observation?stat=final"}}, "_typeFilter"},
		{export.Request{Filters: []string{"Observation?_sort=date"}}, "_typeFilter"},
		{export.Request{Filters: []string{"Observation?_count=3"}}, "_typeFilter"},
		{export.Request{Types: []string{"Patient"}, Filters: []string{"Observation?status=final"}}, "_typeFilter"},
		{export.Request{Filters: slices.Repeat([]string{"Observation?status=final"}, 101)}, "_typeFilter"},
	} {
		var invalid *export.InvalidError
		if err := row.request.Complete([]string{"Observation", "Organization", "Patient"}); !errors.As(err, &invalid) || invalid.Param != row.param {
			t.Errorf("%v: %v", row.request, err)
		}
	}
	for text, want := range map[string][]string{
		"Observation?code=a,b":                      {"Observation?code=a,b"},
		"Observation?code=a,b,Condition?code=c":     {"Observation?code=a,b", "Condition?code=c"},
		"Observation?url=http://x?y,z":              {"Observation?url=http://x?y,z"},
		"Observation?code=a,http://x?y,Patient?_id": {"Observation?code=a,http://x?y", "Patient?_id"},
	} {
		if got := export.SplitFilters(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
	for c := '!'; c <= '~'; c++ { // the name of a type begins with a capital, and has only letters
		capital, letter := c >= 'A' && c <= 'Z', c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if c == ',' || c == '?' {
			continue
		}
		if n := len(export.SplitFilters(fmt.Sprintf("A?b,%cb?c", c))); (n == 2) != capital {
			t.Errorf("%cb is a type: %d", c, n)
		}
		if n := len(export.SplitFilters(fmt.Sprintf("A?b,B%c?c", c))); (n == 2) != letter {
			t.Errorf("B%c is a type: %d", c, n)
		}
	}
}
