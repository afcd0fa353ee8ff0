package patch

import "github.com/roget-health/roget/resources/document"

// A row contains the items of a list, or of the parallel list of ids and extensions, with nil for
// null.
type row [][]byte

// rowOf returns the items of a list, padded to at least atLeast.
func rowOf(list document.Value, atLeast int) row {
	r := make(row, 0, max(list.Len(), atLeast))
	for item := range list.Items() {
		if item.Kind() == document.Null {
			r = append(r, nil)
		} else {
			r = append(r, item.Raw())
		}
	}
	for len(r) < atLeast {
		r = append(r, nil)
	}
	return r
}

// json returns the list as JSON, nil if it is empty.
func (r row) json() []byte {
	dst, something := []byte{'['}, false
	for i, item := range r {
		if i > 0 {
			dst = append(dst, ',')
		}
		if item == nil {
			dst = append(dst, "null"...)
			continue
		}
		something = true
		dst = append(dst, item...)
	}
	if !something {
		return nil
	}
	return append(dst, ']')
}

// setRow sets the list that is parallel to another one.
func setRow(e *document.Editor, holder document.Value, name string, r row) {
	text, old := r.json(), holder.Get(name)
	switch {
	case text == nil && old.Exists():
		e.Remove(old)
	case text != nil:
		e.Set(holder, name, text)
	}
}
