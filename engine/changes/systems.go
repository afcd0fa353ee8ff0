package changes

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem"
)

// often is the number of concepts between looks at whether to stop.
const often = 4096

// Systems compares two versions of a code system. Codes are added and changed in the order of the new
// version, and removed in that of the old one. The error is that of ctx.
func Systems(ctx context.Context, old, current *codesystem.Index) (*List, error) {
	l := newList("CodeSystem", canonical(old), canonical(current))
	was, is := newSide(old), newSide(current)
	for o := range codesystem.Ord(current.Len()) { //nolint:gosec // an index has less than 2^31 concepts
		if o%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := Concept{Code: current.Code(o), Display: current.Display(o)}
		if before, ok := old.Find(c.Code); ok {
			l.add(c, concepts(was, before, is, o))
		} else {
			l.Added = append(l.Added, c)
		}
	}
	for o := range codesystem.Ord(old.Len()) { //nolint:gosec // as above
		if o%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if code := old.Code(o); !has(current, code) {
			l.Removed = append(l.Removed, Concept{Code: code, Display: old.Display(o)})
		}
	}
	return l, nil
}

func has(x *codesystem.Index, code string) bool {
	_, ok := x.Find(code)
	return ok
}

// canonical returns url|version of a code system.
func canonical(x *codesystem.Index) string {
	return strings.TrimSuffix(x.URL()+"|"+x.Version(), "|")
}

// concepts compares a concept of the old version with one of the new version.
func concepts(old *side, before codesystem.Ord, current *side, now codesystem.Ord) (fields []Field) {
	fields = compared(fields, "code", old.Code(before), current.Code(now))
	fields = compared(fields, "display", old.Display(before), current.Display(now))
	fields = compared(fields, "status", status(old.Index, before), status(current.Index, now))
	fields = compared(fields, "abstract", strconv.FormatBool(old.Abstract(before)), strconv.FormatBool(current.Abstract(now)))
	fields = compared(fields, "definition", old.meaning(before), current.meaning(now))
	fields = differing(fields, "parents", parents(old.Index, before), parents(current.Index, now))
	return differing(fields, "properties", old.properties(before), current.properties(now))
}

// differing appends a field of several values, each list in order, if they differ.
func differing(fields []Field, name string, was, is []string) []Field {
	removed, added := without(was, is), without(is, was)
	if len(removed)+len(added) == 0 {
		return fields
	}
	return append(fields, Field{Name: name, Removed: removed, Added: added})
}

// status returns the status of a concept. One that states nothing is active.
func status(x *codesystem.Index, o codesystem.Ord) string {
	stated := x.Status(o)
	switch {
	case stated != "":
		return stated
	case x.Inactive(o):
		return "inactive"
	}
	return "active"
}

// parents returns the codes of the parents of a concept, in order.
func parents(x *codesystem.Index, o codesystem.Ord) []string {
	ords := x.Parents(o)
	codes := make([]string, len(ords))
	for i, p := range ords {
		codes[i] = x.Code(p)
	}
	slices.SortFunc(codes, cmp.Compare[string])
	return codes
}

// without returns the codes of a list that another one lacks. Both are in order.
func without(codes, others []string) (left []string) {
	for _, code := range codes {
		if _, found := slices.BinarySearch(others, code); !found {
			left = append(left, code)
		}
	}
	return left
}
