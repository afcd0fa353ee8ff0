package terminology

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// Local answers from an engine in the process. It is safe for concurrent use.
type Local struct {
	engine *engine.Engine
	rows   map[[2]string]*operation.Operation
	runner *operation.Runner
}

// NewLocal returns a Source that runs rows of the table of operations on an engine.
func NewLocal(eng *engine.Engine, table []*operation.Operation) *Local {
	l := &Local{engine: eng, rows: map[[2]string]*operation.Operation{}}
	for _, op := range table {
		l.rows[[2]string{op.Type, op.Name}] = op
	}
	l.runner = operation.NewRunner(operation.Env{Engine: eng}, engine.OverlayLimits{})
	return l
}

// Operate runs a row of the table.
func (l *Local) Operate(ctx context.Context, typ, name string, parameters []byte) ([]byte, error) {
	op := l.rows[[2]string{typ, name}]
	if op == nil {
		return nil, fmt.Errorf("%s/$%s is not in the table of operations", typ, name)
	}
	given, err := r4.DecodeParameters(parameters)
	if err != nil {
		return nil, refused(err)
	}
	var in operation.Input
	in.Reset(op)
	if err := in.DecodeParameters(given, true); err != nil {
		return nil, refused(err)
	}
	result, err := l.runner.Run(ctx, &in)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, refused(err)
	}
	return result.AppendJSON(nil), nil
}

// refused returns an error of an operation as a client over HTTP sees it.
func refused(err error) error {
	_, outcome := operation.Outcome(err)
	return firstError(outcome.Issue)
}

// Resources lists what is published.
func (l *Local) Resources(_ context.Context, typ string) ([]Resource, error) {
	entries := l.engine.Entries(typ)
	list := make([]Resource, 0, len(entries))
	for _, e := range entries {
		h, content := &e.Header, e.Content
		if e.Grammar != nil {
			content = "not-present" // as its CodeSystem resource says
		}
		list = append(list, Resource{
			Type: typ, URL: h.URL, Version: h.Version, ID: h.ID, Name: h.Name, Title: h.Title, Status: h.Status,
			Publisher: h.Publisher, Description: h.Description, Date: h.Date,
			Content: content, Supplements: e.Supplements, Codes: e.Concepts,
		})
	}
	return list, nil
}
