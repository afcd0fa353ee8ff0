package httpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/export"
)

// Jobs runs bulk exports or imports. *export.Jobs implements it, and documents the methods and their
// errors.
type Jobs interface {
	Start(ctx context.Context, r export.Request) (id string, err error)
	Job(id, owner string) (export.Job, error)
	Expires(j *export.Job) time.Time
	Remove(id, owner string) error
	Open(id, owner, name string) (*os.File, export.File, error)
}

const (
	mediaNDJSON = "application/fhir+ndjson"
	// askAgain is after how many seconds a client should ask again for a job.
	askAgain = "5"
)

// A jobKind is what differs between the addresses of exports and imports.
type jobKind struct {
	Jobs
	name string // of the operation that starts them
}

// jobKinds returns the kinds of jobs that this server has.
func (h *Handler) jobKinds() []jobKind {
	return slices.DeleteFunc([]jobKind{{h.Exports, "export"}, {h.Imports, "import"}}, func(k jobKind) bool { return k.Jobs == nil })
}

// path is where the jobs are.
func (k jobKind) path() string { return "/_" + k.name }

// routes registers the addresses of jobs and their files.
func (k jobKind) routes(h *Handler, router *httprouter.Router, at *base) {
	job := at.path + k.path() + "/:job"
	handle := func(what string, run func(*call, jobKind) error) httprouter.Handle {
		return h.handle(at, label{action: k.name + what}, func(c *call) {
			err := run(c, k)
			if errors.Is(err, export.ErrUnknown) {
				err = problem(http.StatusNotFound, "not-found", "there is no such %s, or no longer", k.name)
			}
			if err != nil {
				c.fail(err)
			}
		})
	}
	get(router, job, handle("-status", (*call).jobStatus))
	router.DELETE(job, handle("-delete", (*call).jobDelete))
	get(router, job+"/:file", handle("-file", (*call).jobFile))
}

// inBackground returns an error unless a request may start a job.
func (c *call) inBackground(name string) error {
	if c.at.isR5() {
		return problem(http.StatusNotFound, "not-supported", "$%s is not supported on this base; use that of R4", name)
	}
	if _, part := c.w.(*entryResponse); part {
		return problem(http.StatusUnprocessableEntity, "not-supported", "an entry of a Bundle cannot start $%s: the job would not be a part of it; send the request on its own", name)
	}
	if !slices.ContainsFunc(c.r.Header["Prefer"], func(s string) bool { return strings.Contains(s, "respond-async") }) {
		return problem(http.StatusBadRequest, "required", "an %s runs in the background: send the header Prefer: respond-async", name)
	}
	return nil
}

// startJob starts a job, unless there was an error before, and responds.
func (c *call) startJob(k jobKind, r export.Request, err error) {
	id := ""
	if err == nil {
		id, err = k.Start(c.context(), r)
	}
	if invalid, ok := errors.AsType[*export.InvalidError](err); ok {
		err = operation.Invalid(invalid.Param, invalid.Text)
	}
	if errors.Is(err, export.ErrBusy) {
		c.w.Header().Set("Retry-After", askAgain)
		err = problem(http.StatusTooManyRequests, "throttled", "%v", err)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.w.Header().Set("Content-Location", c.base()+k.path()+"/"+id)
	c.respond(http.StatusAccepted, []byte(`{"resourceType":"OperationOutcome","issue":[{"severity":"information","code":"informational","diagnostics":"the `+k.name+` has started; its address is in Content-Location"}]}`))
}

// owner returns who makes the request, "" if nobody was authenticated.
func (c *call) owner() string {
	if p := access.PrincipalOf(c.r.Context()); p != nil {
		return p.Issuer + "\n" + p.Subject
	}
	return ""
}

// manifest lists the files of an export, or what became of those of an import.
type manifest struct {
	TransactionTime     string         `json:"transactionTime"`
	Request             string         `json:"request"`
	RequiresAccessToken bool           `json:"requiresAccessToken"`
	Output              []manifestFile `json:"output"`
	Deleted             []manifestFile `json:"deleted,omitzero"`
	Error               []manifestFile `json:"error"`
}

type manifestFile struct {
	Type     string `json:"type"`
	InputURL string `json:"inputUrl,omitempty"` // of the file that was imported
	URL      string `json:"url,omitempty"`
	Count    int    `json:"count"`
}

// manifestOf returns the manifest of a job that is done.
func (c *call) manifestOf(k jobKind, j *export.Job) manifest {
	m := manifest{
		TransactionTime: j.TransactionTime().Format("2006-01-02T15:04:05.000Z07:00"), Request: j.Request.URL, RequiresAccessToken: j.Request.TokenNeeded,
		Output: []manifestFile{}, Error: []manifestFile{},
	}
	inputs, list := j.Request.Inputs, &m.Output
	if inputs == nil {
		m.Deleted = []manifestFile{}
	} else {
		list = &m.Error
		for i, in := range inputs {
			m.Output = append(m.Output, manifestFile{Type: "OperationOutcome", InputURL: in.URL, Count: j.Counts[i]})
		}
	}
	for _, f := range j.Files {
		entry := manifestFile{Type: f.Type, URL: c.base() + k.path() + "/" + j.ID + "/" + f.Name, Count: f.Count}
		if inputs != nil {
			entry.InputURL = inputs[f.Input].URL
		}
		*list = append(*list, entry)
	}
	return m
}

// jobStatus reports how far a job is.
func (c *call) jobStatus(k jobKind) error {
	j, err := k.Job(c.params.ByName("job"), c.owner())
	if err != nil {
		return err
	}
	header := c.w.Header()
	header.Set("Cache-Control", "no-store")
	switch j.State {
	case export.Running:
		header.Set("X-Progress", cut(j.Progress()))
		header.Set("Retry-After", askAgain)
		c.empty(http.StatusAccepted)
		return nil
	case export.Failed:
		return problem(http.StatusInternalServerError, "exception", "the %s failed; the log of the server says why", k.name)
	case export.Refused:
		return problem(http.StatusInternalServerError, "forbidden", "the %s has ended: %s", k.name, j.Problem)
	}
	body, err := json.Marshal(c.manifestOf(k, &j))
	if err != nil {
		return err
	}
	header.Set("Expires", k.Expires(&j).UTC().Format(http.TimeFormat))
	c.write(http.StatusOK, valueJSON, body)
	return nil
}

// jobDelete removes a job and its files.
func (c *call) jobDelete(k jobKind) error {
	if err := k.Remove(c.params.ByName("job"), c.owner()); err != nil {
		return err
	}
	c.empty(http.StatusAccepted)
	return nil
}

// filePart is the size in bytes in which a file is sent.
const filePart = 256 << 10

// jobFile sends a file.
func (c *call) jobFile(k jobKind) error {
	file, f, err := k.Open(c.params.ByName("job"), c.owner(), c.params.ByName("file"))
	if err != nil {
		return err
	}
	defer file.Close()
	if k.name == "export" { // the permissions may have changed since the job was started
		if err := c.mayExport(f.Type); err != nil {
			return err
		}
	}
	if err := c.record(http.StatusOK, true); err != nil {
		c.unrecorded(err, "the file was not sent")
		return nil
	}
	header := c.w.Header()
	header.Set("Content-Type", mediaNDJSON)
	header.Set("Content-Length", strconv.FormatInt(f.Bytes, 10))
	c.status = http.StatusOK
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	part := make([]byte, filePart)
	for {
		n, err := file.Read(part)
		if n > 0 {
			if err := c.deliver(part[:n]); err != nil {
				return nil // the client has gone
			}
			c.sent += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			panic(http.ErrAbortHandler) // so that the client notices
		}
	}
}
