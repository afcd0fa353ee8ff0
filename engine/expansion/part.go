package expansion

import (
	"slices"
	"time"

	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/valueset"
)

// Settings are the settings of an engine for expansions.
type Settings struct {
	// DefaultCount is the page size under the clinical rules if a request has no count; 0: no pages.
	DefaultCount int
	// MaxCount is the largest page size, and the largest limit of a request; 0: unlimited.
	MaxCount int
	// ExpandLimit is the largest number of codes of a whole expansion, unless the request has a limit.
	ExpandLimit int
	// Exact is true if filters find texts only as they are written, unless a request says otherwise.
	Exact bool
	Now   func() time.Time
}

// A part is what a request asks for of an expansion.
type part struct {
	offset, count int
	// whole is true if count is a limit: more codes are an error, or make the expansion incomplete.
	whole bool
	// forgives is true if the filter forgives how words are written.
	forgives bool
}

// part returns the part of an expansion that a request asks for, or else the rules. An expansion is
// whole if the request has a limit, or wants codes nested, because pages are flat.
func (e *Settings) part(req *Request, set *valueset.Set, rules resolve.Rules) part {
	p := part{count: e.DefaultCount, forgives: req.Forgiving == nil && !e.Exact || isTrue(req.Forgiving)}
	if req.Offset != nil {
		p.offset = *req.Offset
	}
	switch {
	case req.Count != nil:
		p.count = *req.Count
	case req.Limit != nil:
		p.count, p.whole = *req.Limit, true
	case rules == resolve.Ecosystem, e.DefaultCount == 0, p.offset == 0 && req.wantsNested() && hasLevels(set):
		p.count, p.whole = e.ExpandLimit, true
	}
	if e.MaxCount > 0 {
		p.count = min(p.count, e.MaxCount)
	}
	return p
}

// certainlyLess reports whether the part is too small for a whole expansion, if that is clear
// before the codes are listed.
func (p *part) certainlyLess(req *Request, set *valueset.Set) bool {
	return p.whole && !req.IncompleteOK && req.Filter == "" && !isTrue(req.ActiveOnly) && set.Len()-p.offset > p.count
}

// wantsNested reports whether the request states that codes may be nested.
func (req *Request) wantsNested() bool { return req.ExcludeNested != nil && !*req.ExcludeNested }

// nests reports whether codes are nested where the request does not say. Under the rules of the
// ecosystem they are if the hierarchy is a tree, as FHIR defines it. Under the clinical rules they
// are not, so that pages have a fixed size.
func nests(excludeNested *bool, set *valueset.Set, rules resolve.Rules) bool {
	if excludeNested != nil {
		return !*excludeNested
	}
	return rules == resolve.Ecosystem && !slices.ContainsFunc(set.Systems(), func(u valueset.UsedSystem) bool {
		return u.Index == nil || !u.Index.Tree()
	})
}

// hasLevels reports whether a nested listing of a set differs from a flat one.
func hasLevels(set *valueset.Set) bool {
	return set.Nests() && slices.ContainsFunc(set.Systems(), func(u valueset.UsedSystem) bool {
		return u.Index != nil && u.Index.Hierarchical()
	})
}
