package bulk

import (
	"context"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// A Judgement is what validation found about one resource of a file.
type Judgement struct {
	File, Place string // as in a Refusal
	Type, ID    string // as in the resource, "" if absent
	Issues      []validate.Issue
	Err         error // why it could not be validated, or nil
}

// Failed reports whether the resource has errors.
func (j *Judgement) Failed() bool { return j.Err != nil || validate.Failed(j.Issues) }

// Checked is the summary of Check.
type Checked struct {
	Files     int `json:"files"`
	Resources int `json:"resources"`
	Failed    int `json:"failed"` // resources with errors
}

// A Judge finds the issues of a document. It is called concurrently.
type Judge func(ctx context.Context, d *document.Document) ([]validate.Issue, error)

// Check validates the resources in files and folders, which it reads as Import does, except that
// bundles are resources like others. visit is called for resources with issues or errors, never
// concurrently.
func Check(ctx context.Context, v Judge, paths []string, o Options, visit func(Judgement)) (Checked, error) {
	var sum Checked
	judge := func(it *item, r *resources.LoadResult) {
		j := Judgement{File: it.String(), Place: it.place, Type: r.Type, ID: r.ID, Issues: r.Issues, Err: r.Err}
		sum.Resources++
		if j.Failed() {
			sum.Failed++
		}
		if j.Err != nil || len(j.Issues) > 0 {
			visit(j)
		}
	}
	o.Journal = ""
	o.Refused = func(r Refusal) { // a file that cannot be read
		sum.Resources++
		sum.Failed++
		visit(Judgement{File: r.File, Place: r.Place, Err: r.Err})
	}
	m := newImporter(ctx, checker{v}, o)
	m.judge = judge
	report, err := m.all(ctx, paths)
	sum.Files = report.Files
	return sum, err
}

// A checker is a Target that stores nothing.
type checker struct{ judge Judge }

func (c checker) Load(ctx context.Context, items []resources.LoadItem) ([]resources.LoadResult, error) {
	results := make([]resources.LoadResult, len(items))
	for i := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := document.Parse(items[i].Body, r4.Limits{})
		if err != nil {
			results[i].Err = err
			continue
		}
		results[i].Type, results[i].ID = d.ResourceType(), d.Root().Get("id").Text()
		if results[i].Issues, err = c.judge(ctx, d); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (c checker) Transaction(context.Context, *resources.Bundle, resources.TransactionOptions) ([]resources.Outcome, error) {
	return nil, resources.ErrNotSearchable
}
