package resources

import "github.com/roget-health/roget/resources/document"

// equalContent reports whether two documents have the same content. It ignores id, meta.versionId,
// meta.lastUpdated, a meta with nothing else, and white space between tokens. The order of members
// and the lexical form of values count.
func equalContent(a, b *document.Document) bool {
	return equalMembers(a.Root(), b.Root(), func(v document.Value) bool {
		switch v.Name() {
		case "id":
			return false
		case "meta":
			return !emptyMeta(v)
		}
		return true
	}, func(x, y document.Value) bool {
		if x.Name() == "meta" {
			return equalMembers(x, y, countsInMeta, equalValues)
		}
		return equalValues(x, y)
	})
}

// countsInMeta reports whether a member of meta is not set by a server.
func countsInMeta(v document.Value) bool {
	return v.Name() != "versionId" && v.Name() != "lastUpdated"
}

// emptyMeta reports whether a meta has only members that a server sets.
func emptyMeta(meta document.Value) bool {
	for v := range meta.Members() {
		if countsInMeta(v) {
			return false
		}
	}
	return meta.Kind() == document.Object
}

// equalMembers compares the members of two objects that count, in their order.
func equalMembers(a, b document.Value, counts func(document.Value) bool, equal func(x, y document.Value) bool) bool {
	if a.Kind() != document.Object || b.Kind() != document.Object {
		return equalValues(a, b)
	}
	ys := make([]document.Value, 0, b.Len())
	for y := range b.Members() {
		if counts(y) {
			ys = append(ys, y)
		}
	}
	i := 0
	for x := range a.Members() {
		if !counts(x) {
			continue
		}
		if i == len(ys) || x.Name() != ys[i].Name() || !equal(x, ys[i]) {
			return false
		}
		i++
	}
	return i == len(ys)
}

// equalValues compares two values by their tokens.
func equalValues(a, b document.Value) bool {
	switch {
	case a.Kind() != b.Kind() || a.Len() != b.Len():
		return false
	case a.Kind() != document.Object && a.Kind() != document.Array:
		return string(a.Raw()) == string(b.Raw())
	}
	ys := make([]document.Value, 0, b.Len())
	for y := range b.Children() {
		ys = append(ys, y)
	}
	i := 0
	for x := range a.Children() {
		if x.Name() != ys[i].Name() || !equalValues(x, ys[i]) {
			return false
		}
		i++
	}
	return true
}
