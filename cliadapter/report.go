package cliadapter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
)

// A hinted error adds a hint for users of the terminal.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }

// explain adds to an error about a missing resource which resources are loaded, and how to load
// more.
func explain(err error, eng *engine.Engine) error {
	var kind string
	switch {
	case errors.Is(err, engine.ErrUnknownSystem), errors.Is(err, engine.ErrUnknownVersion):
		kind = "CodeSystem"
	case errors.Is(err, engine.ErrUnknownValueSet):
		kind = "ValueSet"
	case errors.Is(err, engine.ErrUnknownConceptMap):
		kind = "ConceptMap"
	default:
		return err
	}
	const maxNames = 5
	var names []string
	last := ""
	var nameless []string // without url
	for _, e := range eng.Entries(kind) {
		if e.Header.URL == "" {
			nameless = append(nameless, fmt.Sprintf("%s (%s)", e.Header.ID, e.Origin))
		}
		if e.Header.URL == "" || e.Origin == base.Origin || e.Header.URL == last && !errors.Is(err, engine.ErrUnknownVersion) {
			continue
		}
		last = e.Header.URL
		name := last
		if e.Header.Version != "" && errors.Is(err, engine.ErrUnknownVersion) {
			name += "|" + e.Header.Version
		}
		names = append(names, name)
	}
	var loaded string
	switch {
	case len(names) == 0 && len(nameless) > 0:
		loaded = fmt.Sprintf("what is loaded has no url: %s", strings.Join(nameless[:min(maxNames, len(nameless))], ", "))
	case len(names) == 0:
		loaded = fmt.Sprintf("no %s is loaded", kind)
	case len(names) > maxNames:
		loaded = fmt.Sprintf("loaded are: %s and %s more (roget list shows all)", strings.Join(names[:maxNames], ", "), engine.Thousands(len(names)-maxNames))
	default:
		loaded = "loaded are: " + strings.Join(names, ", ")
	}
	return &hinted{err: err, hint: loaded + "; use --load or --data to add others"}
}

// report writes an error of a command that has written nothing in the form of the output: with --output
// json the OperationOutcome goes to Out as well. The error itself goes to Err later.
func (inv *invocation) report(err error) error {
	if err == nil || errors.Is(err, command.ErrNo) {
		return err
	}
	err = withoutCall(err)
	if inv.Text("output") != "json" {
		return err
	}
	if _, wrong := errors.AsType[*command.UsageError](err); wrong {
		return err
	}
	cause := err
	if h, ok := errors.AsType[*hinted](err); ok {
		cause = h.err
	}
	class, outcome := operation.Outcome(cause)
	if class == issue.ClassInternal { // in the terminal there is nothing to hide
		_, outcome = operation.Outcome(&operation.Problem{Class: class, Exit: operation.ExitFailure, Code: "exception", Err: cause})
	}
	if werr := inv.WriteJSON(outcome.AppendJSON(nil)); werr != nil {
		return errors.Join(err, werr)
	}
	return err
}
