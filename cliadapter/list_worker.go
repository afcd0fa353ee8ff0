package cliadapter

import (
	"context"
	"errors"

	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// A listWorker answers the records of a list.
type listWorker struct {
	call   *listCall
	picker *lists.Picker
	in     operation.Input
	item   lists.Item
	rows   *rowWriter
}

// answer answers a record.
func (w *listWorker) answer(ctx context.Context, dst []byte, rec *lists.Record) ([]byte, lists.Verdict, error) {
	if rec.Rest || w.picker.Blank(rec) {
		return dst, lists.Passed, nil
	}
	err := w.picker.Pick(rec, &w.item)
	if err != nil {
		return w.fail(dst, nil, err), lists.Broken, err
	}
	for i := range w.call.fed {
		if w.item.Codes[i] != "" {
			continue
		}
		return w.fail(dst, nil, errNoCode), lists.Empty, nil
	}
	result, err := w.call.ask(ctx, &w.in, &w.item)
	err = ofLine(err)
	switch {
	case err == nil:
		dst = w.rows.append(dst, &w.item, func(row *sheetRow) {
			if row.system == "" {
				row.system = w.in.String(w.call.system)
			}
			w.rows.sheet.fill(result, row)
		})
		if result.Yes() {
			return dst, lists.Yes, nil
		}
		return dst, lists.No, nil
	case operation.ExitCode(err) == operation.ExitNo:
		no := lists.Truth(false)
		return w.fail(dst, &no, err), lists.No, nil
	case wholly(ctx, err):
		return dst, lists.Broken, &lists.Stop{Err: err}
	}
	return w.fail(dst, nil, err), lists.Broken, err
}

// Messages for lines that lack something.
var (
	errNoCode   = errors.New("no code")
	errNoSystem = errors.New("no code system; --system is for lines without one")
)

// ofLine returns an error about the code of a line in the words of lists.
func ofLine(err error) error {
	if p, ok := errors.AsType[*engine.ParameterError](err); ok && errors.Is(err, engine.ErrMissingParameter) && (p.Name == systemParam || p.Name == "url") {
		return errNoSystem
	}
	return err
}

// fail appends a row for a record without an answer. result is the answer that the error stands
// for, or nil.
func (w *listWorker) fail(dst []byte, result *lists.Value, err error) []byte {
	return w.rows.append(dst, &w.item, func(row *sheetRow) {
		if row.system == "" && result != nil {
			row.system = w.in.String(w.call.system)
		}
		if result != nil {
			row.values[0] = *result
		}
		row.message = err.Error()
		row.emit()
	})
}
