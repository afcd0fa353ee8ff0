package uiadapter

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
)

// Concepts of a code system are sorted by what they are: by the semantic tags that fully specified
// names of SNOMED CT end with, or else by the concepts at the top of the hierarchy.

// A category is a set of concepts of a code system.
type category struct {
	// key identifies the category in addresses: a tag, or the code of a concept.
	key string
	// tagged are the concepts with a tag, nil for the concepts below top.
	tagged *roaring.Bitmap
	top    codesystem.Ord
}

// set returns the concepts of a category. It must not be modified.
func (c *category) set(x *codesystem.Index) *roaring.Bitmap {
	if c.tagged != nil {
		return c.tagged
	}
	return x.Descendants(c.top)
}

// has reports whether a concept is in the category. The concept at the top is not: it is the category
// itself.
func (c *category) has(x *codesystem.Index, o codesystem.Ord) bool {
	if c.tagged != nil {
		return c.tagged.Contains(o)
	}
	return x.IsAncestor(c.top, o)
}

// categories remembers the categories of code systems as long as their indexes are in use.
type categories struct {
	byIndex sync.Map // of weak.Pointer[codesystem.Index] to []category
}

// of returns the categories of an index. It reads all fully specified names when it is first asked.
func (c *categories) of(ctx context.Context, x *codesystem.Index) ([]category, error) {
	key := weak.Make(x)
	if known, ok := c.byIndex.Load(key); ok {
		return known.([]category), nil
	}
	list, err := tagsOf(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(list) < 2 {
		list = topsOf(x)
	}
	if _, loaded := c.byIndex.LoadOrStore(key, list); !loaded {
		runtime.AddCleanup(x, func(key weak.Pointer[codesystem.Index]) { c.byIndex.Delete(key) }, key)
	}
	return list, nil
}

// fullName is the use of fully specified names of SNOMED CT.
const fullName = "900000000000003001"

const (
	// maxTags and maxTops bound the categories of a code system.
	maxTags, maxTops = 200, 40
	// maxTagLength is the length of the longest text in parentheses that is a tag.
	maxTagLength = 40
)

// tagsOf returns the categories of a code system by semantic tags.
func tagsOf(ctx context.Context, x *codesystem.Index) ([]category, error) {
	kinds := x.DesignationKinds()
	full := make([]bool, len(kinds))
	any := false
	for i := range kinds {
		full[i] = !kinds[i].Inactive && kinds[i].Use != nil && kinds[i].Use.Code == fullName
		any = any || full[i]
	}
	if !any {
		return nil, nil
	}
	byTag := map[string]*roaring.Bitmap{}
	last := ""
	var run []codesystem.Ord // concepts with the tag last: neighbours have the same tag more often than not
	flush := func() {
		if len(run) == 0 {
			return
		}
		if byTag[last] == nil && len(byTag) < maxTags {
			byTag[last] = roaring.New()
		}
		if set := byTag[last]; set != nil {
			set.AddMany(run)
		}
		run = run[:0]
	}
	for i := range x.DesignationCount() {
		if i%65536 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !full[x.DesignationKindNumber(i)] {
			continue
		}
		tag := tagOf(x.Designation(i).Value)
		if tag == "" {
			continue
		}
		if tag != last {
			flush()
			last = tag
		}
		run = append(run, x.DesignationOwner(i))
	}
	flush()
	list := make([]category, 0, len(byTag))
	for tag, set := range byTag {
		set.RunOptimize()
		list = append(list, category{key: strings.Clone(tag), tagged: set})
	}
	sortBy(list, func(a, b category) int { return cmp.Compare(a.key, b.key) })
	return list, nil
}

// tagOf returns the text in parentheses at the end of a fully specified name, "" if there is none.
func tagOf(name string) string {
	if !strings.HasSuffix(name, ")") {
		return ""
	}
	at := strings.LastIndexByte(name, '(')
	if at <= 0 || len(name)-at-2 > maxTagLength {
		return ""
	}
	return name[at+1 : len(name)-1]
}

// topsOf returns the categories of a code system by its hierarchy: the concepts at its top. One that
// has most concepts below it says little, so the concepts below it take its place.
func topsOf(x *codesystem.Index) []category {
	var tops []codesystem.Ord
	roots := x.Roots().Iterator()
	for roots.HasNext() {
		if o := roots.Next(); !x.Leaf(o) {
			if len(tops) == maxTops {
				return nil // a forest
			}
			tops = append(tops, o)
		}
	}
	for {
		at := slices.IndexFunc(tops, func(o codesystem.Ord) bool {
			children := len(x.Children(o))
			return int(x.Descendants(o).GetCardinality()) > x.Len()/2 && children > 1 && len(tops)+children-1 <= maxTops || len(tops) == 1 && children > 0 && children <= maxTops
		})
		if at < 0 {
			break
		}
		var next []codesystem.Ord
		for _, o := range x.Children(tops[at]) {
			if !x.Leaf(o) && !slices.Contains(tops, o) {
				next = append(next, o)
			}
		}
		if len(next) == 0 {
			break
		}
		tops = slices.Concat(tops[:at], next, tops[at+1:])
	}
	if len(tops) < 2 {
		return nil
	}
	list := make([]category, len(tops))
	for i, o := range tops {
		list[i] = category{key: x.Code(o), top: o}
	}
	return list
}
