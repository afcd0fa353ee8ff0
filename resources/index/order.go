package index

import (
	"bytes"
	"slices"
)

// Order returns the ranges of entries by which versions are ordered by a parameter, and a
// function that takes the key to order by out of an entry. Within a range keys ascend;
// several are to be merged. A version may have several entries: the one counts whose key is
// its SortKey. ok is false for parameters whose entries are in no order, which are tokens,
// references, urls and composites; tokens and urls can be walked by Terms.
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

// orderKey takes the key to order by out of an entry.
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

// SortKey returns the key by which a document is ordered by a parameter: the least of its
// values, or the greatest when the order is descending; nil when it has none. Keys compare
// by bytes. Texts are ordered folded by their first 48 bytes, dates by their beginning, numbers by
// value, quantities in canonical units behind all others, tokens by code and then system,
// references by type and id or url.
func (v View) SortKey(number uint32, descending bool) []byte {
	var best, buf []byte
	for value := range v.Param(number) {
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

// appendSortKey appends the key of one value, which is that of orderKey where there is one.
func appendSortKey(dst []byte, v *Value) []byte {
	switch v.Kind {
	case String:
		return append(append(dst, keyString), endText(appendFold(nil, v.Text))...)
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

// OrderEntry returns the least entry of a range of Order whose key is not less than a key: the
// end of the range when there is none.
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
