package ecl

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// descriptionNode is the inner concepts of which one description satisfies all filters. In a code
// system without details of designations the display is a description too: a synonym in the
// language of the code system.
type descriptionNode struct {
	x       *codesystem.Index
	inner   node
	terms   []termTest
	ids     []idTest
	kinds   []kindTest
	display bool // whether the display is a description
	// language is that of descriptions that name none.
	language string
	added    []*descriptionNode // on the supplements, without inner concepts

	mu       sync.Mutex
	matching *matchingKinds // once computed
}

// termTest compares the term of a description.
type termTest struct {
	matcher *textMatcher
	negate  bool
}

// idTest compares the identifier of a description.
type idTest struct {
	ids    codeList
	negate bool
}

// kindTest compares the properties that all descriptions of a kind share.
type kindTest func(context.Context, *codesystem.DesignationKind) (bool, error)

// matchingKinds holds, for each kind of description, whether it satisfies the filters about kinds.
type matchingKinds struct {
	is      []bool
	display bool
}

func (b *binder) descriptions(f *descriptionFilters, inner node) (node, error) {
	n := &descriptionNode{x: b.x, inner: inner, display: displaysDescribe(b.x)}
	spoken := false
	for i := range f.all {
		d := &f.all[i]
		spoken = spoken || d.subject == subjectActive
		switch d.subject {
		case subjectTerm:
			n.terms = append(n.terms, termTest{matching(d.terms), d.op == notEqual})
			continue
		case subjectID:
			ids := codeList{}
			for _, id := range d.ids {
				ids[id] = true
			}
			n.ids = append(n.ids, idTest{ids, d.op == notEqual})
			continue
		}
		t, err := b.kindTest(d)
		if err != nil {
			return nil, err
		}
		n.kinds = append(n.kinds, t)
	}
	if !spoken {
		n.kinds = append(n.kinds, func(_ context.Context, k *codesystem.DesignationKind) (bool, error) { return !k.Inactive, nil })
	}
	for _, s := range b.supplements {
		n.added = append(n.added, &descriptionNode{
			x: s, terms: n.terms, ids: n.ids, kinds: n.kinds, display: displaysDescribe(s), language: s.Header().Language,
		})
	}
	return n, nil
}

// displaysDescribe reports whether displays are descriptions, because no designation has details.
func displaysDescribe(x *codesystem.Index) bool {
	for _, k := range x.DesignationKinds() {
		if k.Module != "" || k.EffectiveTime != "" || k.CaseSignificance != "" || k.Inactive || len(k.Acceptability) > 0 {
			return false
		}
	}
	return true
}

// kindTest binds a filter about kinds.
func (b *binder) kindTest(d *descriptionFilter) (kindTest, error) {
	switch d.subject {
	case subjectLanguage:
		return func(_ context.Context, k *codesystem.DesignationKind) (bool, error) {
			in := false
			for _, language := range d.languages {
				have, _, _ := strings.Cut(k.Language, "-")
				in = in || strings.EqualFold(have, language)
			}
			return in == (d.op == equal), nil
		}, nil
	case subjectActive:
		a := activityOf(&d.test)
		return func(_ context.Context, k *codesystem.DesignationKind) (bool, error) {
			return a.accepts(k.Inactive), nil
		}, nil
	case subjectTime:
		return func(_ context.Context, k *codesystem.DesignationKind) (bool, error) {
			return acceptsTime(d.op, d.times, k.EffectiveTime), nil
		}, nil
	case subjectDialect:
		return b.dialectTest(d)
	}
	accepts, err := b.codeComparison(&d.test)
	if d.subject == subjectModule {
		return func(ctx context.Context, k *codesystem.DesignationKind) (bool, error) { return accepts(ctx, k.Module) }, err
	}
	return func(ctx context.Context, k *codesystem.DesignationKind) (bool, error) {
		use := ""
		if k.Use != nil {
			use = k.Use.Code
		}
		return accepts(ctx, use)
	}, err
}

// dialectTest binds a dialect filter.
func (b *binder) dialectTest(d *descriptionFilter) (kindTest, error) {
	refsets := make([]codeTest, len(d.dialects))
	for i := range d.dialects {
		one := &d.dialects[i]
		if one.set == nil {
			code, ok := dialectRefset(one.alias)
			if !ok {
				return nil, &EvaluationError{one.offset(), one.alias, ErrUnknownDialect}
			}
			refsets[i] = codeList{code: true}
			continue
		}
		var err error
		if refsets[i], err = b.codes(one.set); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, k *codesystem.DesignationKind) (bool, error) {
		for i := range refsets {
			accept := d.dialects[i].accept
			for _, a := range k.Acceptability {
				if !accept.any() && (a.Preferred && !accept.preferred || !a.Preferred && !accept.acceptable) {
					continue
				}
				if in, err := refsets[i].accepts(ctx, a.Refset); err != nil || in {
					return in && d.op == equal, err
				}
			}
		}
		return d.op == notEqual, nil
	}, nil
}

// dialectRefset returns the reference set of a dialect alias. The specification's examples omit
// the x of a private use subtag after the language.
func dialectRefset(alias string) (string, bool) {
	if code, ok := codesystem.DialectRefset(alias); ok {
		return code, true
	}
	language, rest, ok := strings.Cut(alias, "-")
	if !ok {
		return "", false
	}
	return codesystem.DialectRefset(language + "-x-" + rest)
}

// matchKinds tests the kinds of the code system, once.
func (n *descriptionNode) matchKinds(ctx context.Context) (*matchingKinds, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.matching != nil {
		return n.matching, nil
	}
	kinds := n.x.DesignationKinds()
	matching := &matchingKinds{is: make([]bool, len(kinds))}
	var err error
	for i, kind := range kinds {
		kind.Language = cmp.Or(kind.Language, n.language)
		if matching.is[i], err = n.kindAble(ctx, &kind); err != nil {
			return nil, err
		}
	}
	if n.display {
		if matching.display, err = n.kindAble(ctx, n.displayKind()); err != nil {
			return nil, err
		}
	}
	n.matching = matching
	return matching, nil
}

func (n *descriptionNode) kindAble(ctx context.Context, k *codesystem.DesignationKind) (bool, error) {
	for _, t := range n.kinds {
		if in, err := t(ctx, k); err != nil || !in {
			return false, err
		}
	}
	return true, nil
}

func (n *descriptionNode) set(ctx context.Context) (*roaring.Bitmap, error) {
	inner, err := n.inner.set(ctx)
	if err != nil || inner.IsEmpty() {
		return inner, err
	}
	set, err := n.among(ctx, inner)
	for i := 0; i < len(n.added) && err == nil; i++ {
		s := n.added[i].x
		own := s.All()
		if inner.GetCardinality()*8 < uint64(s.Len()) { // else fewer codes need be found afterwards
			own = n.x.ConceptsIn(s, inner, nil)
		}
		if own, err = n.added[i].among(ctx, own); err == nil {
			set = roaring.Or(set, s.ConceptsIn(n.x, own, inner))
		}
	}
	return set, err
}

// among returns the concepts of a set of which one description satisfies the filters.
func (n *descriptionNode) among(ctx context.Context, inner *roaring.Bitmap) (*roaring.Bitmap, error) {
	matching, err := n.matchKinds(ctx)
	if err != nil {
		return nil, err
	}
	described := func(_ context.Context, o codesystem.Ord) (bool, error) { return n.described(matching, o), nil }
	if t := n.leading(matching); t != nil && inner.GetCardinality()*shareOfFew >= uint64(n.x.Len()) {
		return n.found(ctx, t, matching, inner, described)
	}
	return those(ctx, inner, described)
}

// shareOfFew: if at most one in shareOfFew concepts is tested, reading each is faster than finding
// terms by the text index.
const shareOfFew = 256

// leading returns a term filter whose terms the text index finds, or nil.
func (n *descriptionNode) leading(matching *matchingKinds) *termTest {
	kinds := n.x.DesignationKinds()
	for i := range kinds {
		if kinds[i].Inactive && matching.is[i] { // the text index does not contain these
			return nil
		}
	}
	for i := range n.terms {
		if t := &n.terms[i]; !t.negate && t.matcher.searchable() {
			return t
		}
	}
	return nil
}

// found returns the concepts of a set that satisfy the filters, by the texts that the text index
// finds for one of them. Most of these texts decide alone; the texts of the other concepts are
// read.
func (n *descriptionNode) found(ctx context.Context, t *termTest, matching *matchingKinds, within *roaring.Bitmap, described func(context.Context, codesystem.Ord) (bool, error)) (*roaring.Bitmap, error) {
	size := (n.x.Len() + 63) / 64
	words := make([]uint64, 3*size)
	wanted, sure, doubtful := words[:size], words[size:2*size], words[2*size:]
	within.WriteDenseTo(wanted)
	only := len(n.terms) == 1 && len(n.ids) == 0 // the only filter on a text of a matching kind
	for _, q := range t.matcher.queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n.x.MatchingTexts(q, func(o codesystem.Ord, text uint32) {
			at, bit := o/64, uint64(1)<<(o%64)
			switch {
			case wanted[at]&bit == 0 || sure[at]&bit != 0:
			case only && n.matchesKind(matching, text):
				sure[at] |= bit
			default:
				doubtful[at] |= bit
			}
		})
	}
	for i := range doubtful {
		doubtful[i] &^= sure[i]
	}
	more, err := those(ctx, roaring.FromDense(doubtful, true), described)
	if err != nil {
		return nil, err
	}
	more.Or(roaring.FromDense(sure, true))
	return more, nil
}

// matchesKind reports whether a text is a description of a matching kind. A display that is not a
// description leaves this open: a designation with the same words may be one.
func (n *descriptionNode) matchesKind(matching *matchingKinds, text uint32) bool {
	if text == codesystem.DisplayText {
		return matching.display
	}
	return matching.is[n.x.DesignationKindNumber(text)]
}

// described is describes for known kinds.
func (n *descriptionNode) described(matching *matchingKinds, o codesystem.Ord) bool {
	if matching.display && n.x.Display(o) != "" && n.texted(n.x.Display(o)) && n.identified("") {
		return true
	}
	first, end := n.x.DesignationRange(o)
	for i := first; i < end; i++ {
		if !matching.is[n.x.DesignationKindNumber(i)] || len(n.ids) > 0 && !n.identified(n.x.DesignationID(i)) {
			continue
		}
		if len(n.terms) == 0 || n.texted(n.x.Designation(i).Value) {
			return true
		}
	}
	return false
}

func (n *descriptionNode) texted(text string) bool {
	for _, t := range n.terms {
		if t.matcher.matches(text) == t.negate {
			return false
		}
	}
	return true
}

func (n *descriptionNode) identified(id string) bool {
	for _, t := range n.ids {
		if t.ids[id] == t.negate {
			return false
		}
	}
	return true
}

func (n *descriptionNode) has(ctx context.Context, o codesystem.Ord) (bool, error) {
	in, err := n.inner.has(ctx, o)
	if err != nil || !in {
		return false, err
	}
	if in, err = n.describes(ctx, o); in || err != nil {
		return in, err
	}
	for _, s := range n.added {
		if own, ok := s.x.Find(n.x.Code(o)); ok {
			if in, err = s.describes(ctx, own); in || err != nil {
				return in, err
			}
		}
	}
	return false, nil
}

// describes reports whether a description of a concept satisfies the filters.
func (n *descriptionNode) describes(ctx context.Context, o codesystem.Ord) (bool, error) {
	matching, err := n.matchKinds(ctx)
	return err == nil && n.described(matching, o), err
}

// displayKind returns the kind of a display.
func (n *descriptionNode) displayKind() *codesystem.DesignationKind {
	return &codesystem.DesignationKind{Language: n.x.Header().Language, Use: &r4.Coding{Code: synonymType}}
}
