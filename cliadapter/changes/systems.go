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
	for o := range codesystem.Ord(current.Len()) { //nolint:gosec // an index has less than 2^31 concepts
		if o%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := Concept{Code: current.Code(o), Display: current.Display(o)}
		if before, ok := old.Find(c.Code); ok {
			l.add(c, concepts(old, before, current, o))
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
func concepts(old *codesystem.Index, before codesystem.Ord, current *codesystem.Index, now codesystem.Ord) (fields []Field) {
	fields = compared(fields, "code", old.Code(before), current.Code(now))
	fields = compared(fields, "display", old.Display(before), current.Display(now))
	fields = compared(fields, "status", status(old, before), status(current, now))
	fields = compared(fields, "abstract", strconv.FormatBool(old.Abstract(before)), strconv.FormatBool(current.Abstract(now)))
	was, is := parents(old, before), parents(current, now)
	removed, added := without(was, is), without(is, was)
	if len(removed)+len(added) > 0 {
		fields = append(fields, Field{Name: "parents", Removed: removed, Added: added})
	}
	return fields
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
