package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/expansion"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// CompareRequest is the request of Compare (ValueSet/$compare of the terminology ecosystem,
// formerly $related). Each value set is named by its canonical or given as a resource.
type CompareRequest struct {
	ID              string // of this value set, for ValueSet/{id}/$compare
	ThisURL         string // canonical, may be url|version
	ThisValueSet    *r4.ValueSet
	OtherURL        string
	OtherValueSet   *r4.ValueSet
	ValueSetVersion string // of the value sets named by a canonical without a version
	VersionPolicy   string // "always", "as-needed" or "never"; empty is as-needed
	Versions        VersionRules
	// Diagnostics requests PerformedExpansion and the lists of codes in the answer.
	Diagnostics bool
	// Limit is the largest number of codes of a value set that is evaluated, nil for
	// DefaultCompareLimit. It is at most WithMaxCount.
	Limit *int
}

// CompareResult is the result of Compare.
type CompareResult struct {
	valueset.Comparison
	Message string
	// Diagnostics is true if PerformedExpansion and the lists of codes are part of the answer.
	Diagnostics bool
	// PerformedExpansion is true if the value sets had to be evaluated, and false if comparing
	// their definitions was enough.
	PerformedExpansion bool
}

// Compare returns the relation between the codes of two value sets: those that their expansions have,
// by the parameters that the value sets state. It compares the definitions first
// (valueset.CompareDefinitions) and evaluates the value sets only if that is not enough. If
// a value set cannot be evaluated, or has more codes than the limit, the relation is indeterminate
// and the message has the reason.
// Errors: those of finding the value sets, ErrMissingParameter, ErrInvalidParameter, and of ctx.
func (e *Engine) Compare(ctx context.Context, req *CompareRequest) (*CompareResult, error) {
	ctx, span := e.observe(ctx, "compare", req.ThisURL)
	limit, err := e.compareLimit(req)
	if err != nil {
		span.finish(ctx, err)
		return nil, err
	}
	r, err := compare(ctx, e.source(), req, limit)
	span.finish(ctx, err)
	return r, err
}

// compareLimit returns the largest number of codes of a value set that is evaluated.
func (e *Engine) compareLimit(req *CompareRequest) (int, error) {
	switch {
	case req.Limit == nil:
		return DefaultCompareLimit, nil
	case *req.Limit < 0:
		return 0, issue.Invalid("limit", fmt.Sprintf("%d is below 0", *req.Limit))
	}
	if most := e.Limits().MaxCount; most > 0 {
		return min(*req.Limit, most), nil
	}
	return *req.Limit, nil
}

func compare(ctx context.Context, plain *resolve.Source, req *CompareRequest, limit int) (*CompareResult, error) {
	policy, err := versionPolicy(req.VersionPolicy)
	if err != nil {
		return nil, err
	}
	src, err := plain.Ruled(&req.Versions)
	if err != nil {
		return nil, err
	}
	c := comparer{plain: plain, source: src, policy: policy, diagnostics: req.Diagnostics, limit: limit}
	if c.this, err = c.side("this", req.ID, req.ThisURL, req, req.ThisValueSet); err != nil {
		return nil, err
	}
	if c.other, err = c.side("other", "", req.OtherURL, req, req.OtherValueSet); err != nil {
		return nil, err
	}
	// Codes of grammars that only these value sets list must be added to an index.
	if with, err := plain.Listing(ctx, src.GrammarUses(&c.this.Target, &c.other.Target)); err != nil || with != plain {
		if err != nil {
			return nil, err
		}
		return compare(ctx, with, req, limit)
	}
	return c.compare(ctx)
}

func versionPolicy(code string) (valueset.VersionPolicy, error) {
	switch code {
	case "", "as-needed":
		return valueset.VersionAsNeeded, nil
	case "always":
		return valueset.VersionAlways, nil
	case "never":
		return valueset.VersionNever, nil
	}
	return 0, issue.Invalid("version-policy", fmt.Sprintf("%q is not one of always, as-needed and never", code))
}

// A comparer compares the two value sets of one request.
type comparer struct {
	plain       *resolve.Source
	source      *resolve.Source // with the rules of the request
	policy      valueset.VersionPolicy
	diagnostics bool
	limit       int
	this, other compared
}

// compared is one of the two value sets.
type compared struct {
	resolve.Target
	vs      *r4.ValueSet
	request *ExpandRequest // for its expansion
}

// side finds one of the value sets; which is "this" or "other".
func (c *comparer) side(which, id, canonical string, req *CompareRequest, given *r4.ValueSet) (s compared, err error) {
	version := req.ValueSetVersion
	switch {
	case given != nil:
		id, canonical = "", ""
		s.Target = resolve.Target{Given: given}
	case id != "":
		s.Target, err = c.source.Named(id, canonical, version, nil)
	case canonical == "":
		err = issue.Missing(which+"Url", "the canonical of the value set, or the value set as "+which+"ValueSet")
	default:
		if strings.ContainsRune(canonical, '|') {
			version = ""
		}
		s.Target, err = c.source.Target(which+"Url", canonical, version)
	}
	if err == nil {
		s.vs, err = s.Definition()
	}
	s.request = &ExpandRequest{ID: id, URL: canonical, ValueSetVersion: version, ValueSet: given, Versions: req.Versions}
	return s, err
}

func (c *comparer) compare(ctx context.Context) (*CompareResult, error) {
	r := &CompareResult{}
	for _, s := range []*compared{&c.this, &c.other} {
		if s.vs.Compose == nil && s.vs.Expansion == nil {
			r.Relation, r.Message = valueset.Indeterminate, msgNoCompose(s.Label())
			return r, nil
		}
	}
	r.Diagnostics = c.diagnostics
	found, ok, err := valueset.CompareDefinitions(ctx, c.source, c.this.vs, c.other.vs, c.policy)
	if err != nil {
		return nil, err
	}
	if ok && (expansion.States(c.this.vs) || expansion.States(c.other.vs)) {
		// Definitions do not show what parameters change. But a value set is always the same as itself.
		ok = c.this.vs == c.other.vs
	}
	if r.PerformedExpansion = !ok; ok {
		r.Comparison = found
	} else if err := c.compareSets(ctx, r); err != nil {
		return nil, err
	}
	if r.Message == "" {
		r.Message = msgRelation(r.Relation, c.this.Label(), c.other.Label())
	}
	return r, nil
}

// compareSets evaluates both value sets.
func (c *comparer) compareSets(ctx context.Context, r *CompareResult) error {
	for i, s := range []*compared{&c.this, &c.other} {
		if c.endless(s) {
			why := c.tooCostly(s)
			if i == 0 {
				why = msgExpansionsFailed(why, "")
			} else {
				why = msgExpansionsFailed("", why)
			}
			r.Relation, r.Message = valueset.Indeterminate, msgCannotCompare(c.this.Label(), c.other.Label(), why)
			return nil
		}
	}
	this, thisErr := expansion.Members(ctx, c.plain, c.this.request, "")
	other, otherErr := expansion.Members(ctx, c.plain, c.other.request, "")
	if err := ctx.Err(); err != nil {
		return err
	}
	why := ""
	thisWhy, otherWhy := c.failure(&c.this, this, thisErr), c.failure(&c.other, other, otherErr)
	if thisWhy != "" || otherWhy != "" {
		why = msgExpansionsFailed(thisWhy, otherWhy)
	} else {
		why = msgUnclosed(c.unclosed(&c.this, this), c.unclosed(&c.other, other))
	}
	if why != "" {
		r.Relation = valueset.Indeterminate
		r.Message = msgCannotCompare(c.this.Label(), c.other.Label(), why)
		return nil
	}
	var err error
	r.Comparison, err = this.Compare(ctx, other, c.policy, c.diagnostics)
	return err
}

// tooCostly returns the text for a value set with more codes than the limit.
func (c *comparer) tooCostly(s *compared) string {
	return issue.TooCostly.Say(cmp.Or(s.vs.URL, s.Label()), ">"+strconv.Itoa(c.limit))
}

// failure returns why a value set cannot be compared code by code, "" if it can: the error of
// evaluating it, or its size.
func (c *comparer) failure(s *compared, set *valueset.Set, err error) string {
	switch {
	case err != nil:
		return c.reason(err)
	case set.Len() > c.limit:
		return c.tooCostly(s)
	}
	return ""
}

// endless reports whether a value set includes codes, all or by filters, of a compositional code
// system whose content is not loaded: none of the infinitely many codes can be listed.
func (c *comparer) endless(s *compared) bool {
	return s.vs.Compose != nil && slices.ContainsFunc(s.vs.Compose.Include, func(inc r4.Include) bool {
		if inc.System == "" || len(inc.Concept) > 0 {
			return false
		}
		r, _ := c.source.State.Shelf(catalog.KindCodeSystem).Find(inc.System, c.source.Rules.Choose(inc.System, inc.Version))
		if r == nil || r.Content != "not-present" || r.Grammar != nil {
			return false
		}
		x, err := r.Index()
		return err == nil && x.Header().Compositional
	})
}

// unclosed reports whether a value set has codes that cannot be listed: codes of a grammar, or of
// a code system that is only partly loaded.
func (c *comparer) unclosed(s *compared, set *valueset.Set) bool {
	return expansion.Unclosed(set.Dependencies(), c.source.GrammarUses(&s.Target)) != ""
}

// reason returns the text of the error that expanding the value set would report.
func (c *comparer) reason(err error) string {
	err = expansion.ClientError(c.source, err)
	var outcome issue.OutcomeError
	if errors.As(err, &outcome) {
		for _, i := range outcome.Issues() {
			if i.Details != nil && i.Details.Text != "" {
				return i.Details.Text
			}
		}
	}
	return err.Error()
}
