package index

import (
	"bytes"
	"slices"
)

// Order returns the ranges of entries in the order of a parameter, and a function that returns the
// sort key of an entry. Keys ascend within a range; several ranges have to be merged. If a version
// has several entries, the one whose key is its SortKey counts. ok is false for parameters without
// ordered entries: tokens, references, URLs and composites. Tokens and URLs can be iterated with
// Terms.
func (f Field) Order(k Kind) (ranges []Range, key func(entry []byte) []byte, ok bool) {
	switch k {
	case String:
		ranges = f.starting(keyString, nil)
	case Date:
		for class := range classes {
			ranges = f.bounds(ranges, keyDate, []byte{byte(class)}, nil, nil)
		}
	case NumberKind, Quantity:
		for _, k := range []byte{keyNumber, keySpan, keyCanonical, keyWide} {
			ranges = f.bounds(ranges, k, nil, nil, nil)
		}
	default:
		return nil, nil, false
	}
	return ordered(ranges), orderKey, !f.whole
}

// orderKey returns the sort key of an entry.
func orderKey(entry []byte) []byte {
	value := entry[4:]
	switch value[0] {
	case keyDate:
		return value[2:]
	case keySpan:
		return slices.Concat([]byte{keyNumber}, value[1:])
	case keyWide:
		return slices.Concat([]byte{keyCanonical}, value[1:])
	}
	return value
}

// SortKey returns the key that a document is sorted by: the least value of the parameter, or with
// descending the greatest, and nil if it has none. Keys compare by bytes. Texts are sorted folded
// by their first 48 bytes, dates by their beginning, numbers by value, quantities in canonical
// units after all others, tokens by code and then system, references by type and id or URL.
func (v View) SortKey(number uint32, descending bool) []byte {
	return SortKeyOf(v.Encoded(number), descending)
}

// SortKeyOf returns the SortKey of encoded values.
func SortKeyOf(encoded []byte, descending bool) []byte {
	var best, buf []byte
	for value := range values(encoded) {
		buf = appendSortKey(buf[:0], &value)
		if len(buf) == 0 {
			continue
		}
		if c := bytes.Compare(buf, best); best == nil || descending && c > 0 || !descending && c < 0 {
			best = append(best[:0], buf...)
		}
	}
	return best
}

// appendSortKey appends the key of one value, which equals orderKey of its entry if it has one.
func appendSortKey(dst []byte, v *Value) []byte {
	switch v.Kind {
	case String:
		return append(append(dst, keyString), endText(appendFold(nil, v.Text, false))...)
	case Date:
		return appendTime(dst, v.Time.Low)
	case NumberKind:
		return append(append(dst, keyNumber), v.Number.Low...)
	case Quantity:
		if v.CanonicalUnit != "" {
			return append(appendUnit(append(dst, keyCanonical), v.CanonicalUnit), v.Canonical.Low...)
		}
		return append(append(dst, keyNumber), v.Number.Low...)
	case Token:
		if v.Code == "" && v.System == "" {
			return dst
		}
		return append(append(append(dst, v.Code...), 0), v.System...)
	case URI:
		return append(dst, v.URL...)
	case Reference:
		if k := v.Key(); k.ID != "" {
			return append(dst, k.String()...)
		}
		return append(dst, v.URL...)
	}
	return dst
}

// OrderEntry returns the least entry of a range of Order whose key is not less than key, or the end
// of the range if there is none.
func OrderEntry(r *Range, key []byte) []byte {
	of := r.From[4]
	switch of {
	case keyDate:
		return slices.Concat(r.From, key)
	case keySpan:
		of = keyNumber
	case keyWide:
		of = keyCanonical
	}
	switch {
	case len(key) == 0 || key[0] < of:
		return r.From
	case key[0] > of:
		return r.To
	}
	return slices.Concat(r.From[:5], key[1:])
}
