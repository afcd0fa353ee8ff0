package profile

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// value checks fixed[x], pattern[x], maxLength, minValue[x] and maxValue[x].
func (w *walk) value(p *place, n *node) {
	if n.fixed.Exists() && !document.Equal(n.fixed, p.value) {
		w.report(validate.Error, validate.CodeValue, p, "", n, "the value must be exactly %.200s", n.fixed.Raw())
	}
	if n.pattern.Exists() && !contains(p.value, n.pattern) {
		w.report(validate.Error, validate.CodeValue, p, "", n, "the value must contain %.200s", n.pattern.Raw())
	}
	if !p.value.Exists() {
		return
	}
	if n.length > 0 && p.value.Kind() == document.String {
		if length := utf8.RuneCountInString(p.value.Text()); length > n.length {
			w.report(validate.Error, validate.CodeTooLong, p, "", n, "the value has %d characters, but at most %d are allowed", length, n.length)
		}
	}
	if n.least.Exists() && compare(p.value, n.least, p.typ) < 0 {
		w.report(validate.Error, validate.CodeValue, p, "", n, "the value must be at least %.100s", n.least.Raw())
	}
	if n.greatest.Exists() && compare(p.value, n.greatest, p.typ) > 0 {
		w.report(validate.Error, validate.CodeValue, p, "", n, "the value must be at most %.100s", n.greatest.Raw())
	}
}

// contains reports whether a value has all that a pattern has (ElementDefinition.pattern[x]): the
// members of objects, and for each item of an array one that has all that the item has.
func contains(v, pattern document.Value) bool {
	switch pattern.Kind() {
	case document.Object:
		for m := range pattern.Members() {
			if !contains(v.Get(m.Name()), m) {
				return false
			}
		}
		return v.Kind() == document.Object
	case document.Array:
		for want := range pattern.Items() {
			found := false
			for item := range v.Items() {
				if found = contains(item, want); found {
					break
				}
			}
			if !found {
				return false
			}
		}
		return true
	}
	return document.Equal(v, pattern)
}

// compare returns whether a value is below (-1), above (1) or neither (0) a limit. It is neither if
// they cannot be compared: times of which one is less precise, and quantities in different units.
func compare(v, limit document.Value, t *definitions.Type) int {
	switch {
	case limit.Kind() == document.Object:
		if v.Get("system").Text() == limit.Get("system").Text() && v.Get("code").Text() == limit.Get("code").Text() {
			return compare(v.Get("value"), limit.Get("value"), t)
		}
		return 0
	case v.Kind() == document.Number && limit.Kind() == document.Number:
		a, errA := r4.ParseDecimal(v.Text())
		b, errB := r4.ParseDecimal(limit.Text())
		if errA != nil || errB != nil {
			return 0
		}
		return a.Cmp(b)
	case v.Kind() != document.String || limit.Kind() != document.String:
		return 0
	}
	a, b := v.Text(), limit.Text()
	if x, err := time.Parse(time.RFC3339, a); err == nil {
		if y, err := time.Parse(time.RFC3339, b); err == nil {
			return x.Compare(y)
		}
	}
	shared := min(len(a), len(b))
	return strings.Compare(a[:shared], b[:shared])
}
