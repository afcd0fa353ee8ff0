package validation

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// Plain answers the usual case without allocating: a code that is in the value set, with nothing
// else to report. ok is false for other codes.
func Plain(ctx context.Context, s *resolve.Source, t *resolve.Target, req *Request) (r Result, ok bool) {
	if s.Rules != nil || req.CodeableConcept != nil || req.DisplayLanguage != "" || req.AcceptLanguage != "" || len(req.UseSupplements) > 0 {
		return r, false
	}
	g := given{system: req.System, version: req.SystemVersion, code: req.Code, display: req.Display}
	if c := req.Coding; c != nil {
		g = given{system: c.System, version: c.Version, code: c.Code, display: c.Display}
	}
	if g.system == "" || t.Given != nil {
		return r, false
	}
	set, err := s.Cached(ctx, t, nil)
	if err != nil || !set.Plain {
		return r, false
	}
	entry, found, err := set.Find(g.system, g.version, g.code)
	if err != nil || !found || !plainEntry(&entry, &g, req) {
		return r, false
	}
	return Result{
		Result: true, Display: entry.Display, Code: g.code, System: entry.System, Version: entry.Version,
		Issues: set.Notes, outcome: set.Outcome,
	}, true
}

// given is a code to check.
type given struct {
	system, version, code, display string
}

// plainEntry reports whether there is nothing to report about a member of a value set.
func plainEntry(e *valueset.Entry, g *given, req *Request) bool {
	if e.Index == nil || e.Code != g.code || remarkable(e.Index, e.Concept) || g.version != "" && g.version != e.Version {
		return false
	}
	if e.Abstract && req.Abstract != nil && !*req.Abstract {
		return false
	}
	return g.display == "" || g.display == e.Display
}

// PlainInSystem answers the usual case: a code that is in the code system, with nothing else to
// report. ok is false for other codes.
func PlainInSystem(s *resolve.Source, url, version string, req *InSystemRequest) (r Result, ok bool) {
	if s.Rules != nil || req.CodeableConcept != nil || req.DisplayLanguage != "" || req.AcceptLanguage != "" || len(req.UseSupplements) > 0 {
		return r, false
	}
	g := given{system: url, version: version, code: req.Code, display: req.Display}
	if c := req.Coding; c != nil {
		if url != "" && c.System != url || c.Version != "" && c.Version != version {
			return r, false
		}
		g.system, g.code, g.display = c.System, c.Code, c.Display
	}
	var record *catalog.Record
	if req.ID != "" {
		record = s.State.Shelf(catalog.KindCodeSystem).ID(req.ID)
		if record == nil || g.system != "" && g.system != record.Header.URL || version != "" {
			return r, false
		}
	} else {
		record, _ = s.State.Shelf(catalog.KindCodeSystem).Find(g.system, g.version)
	}
	if record == nil || record.Content != "complete" && record.Content != "" || issue.StatusMessage(&record.Header, &allCodesHeader) != nil {
		return r, false
	}
	x, err := record.Index()
	if err != nil {
		return r, false
	}
	o, found := x.Find(g.code)
	if !found || x.Code(o) != g.code || remarkable(x, o) || g.display != "" && g.display != x.Display(o) ||
		x.Abstract(o) && req.Abstract != nil && !*req.Abstract {
		return r, false
	}
	return Result{Result: true, Display: x.Display(o), Code: g.code, System: x.URL(), Version: x.Version()}, true
}

// allCodesHeader has the status of the value set of all codes of a code system.
var allCodesHeader = r4.Header{Status: "active"}

// remarkable reports whether flag would record a concept.
func remarkable(x *codesystem.Index, o codesystem.Ord) bool {
	return x.Inactive(o) || x.Deprecated(o) || x.Status(o) == "deprecated"
}
