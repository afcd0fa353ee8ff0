package patch

import (
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// MergePatch parses a JSON Merge Patch (RFC 7396), media type application/merge-patch+json: an
// object with the members to change, and null for those to remove. Errors wrap ErrMalformed.
func MergePatch(body []byte) (Patch, error) {
	root, err := read(body)
	if err != nil {
		return nil, err
	}
	if root.Kind() != document.Object {
		return nil, malformed("a JSON Merge Patch must be an object, not %v", root.Kind())
	}
	return merge{root}, nil
}

type merge struct{ patch document.Value }

// Apply implements Patch.
func (m merge) Apply(doc []byte) ([]byte, error) {
	before, err := document.Parse(doc, r4.Limits{})
	if err != nil {
		return nil, err
	}
	if before.Root().Kind() != document.Object {
		return nil, unfit("the document must be a resource, not %v", before.Root().Kind())
	}
	e := before.Edit()
	mergeInto(e, before.Root(), m.patch)
	text, err := e.Bytes()
	if err != nil {
		return nil, unfit("%w", err)
	}
	after, err := reread(text, len(doc)+maxGrowth)
	if err != nil {
		return nil, err
	}
	return text, sameResource(before, after)
}

// mergeInto merges an object into an object.
func mergeInto(e *document.Editor, target, patch document.Value) {
	have := make(map[string]document.Value, target.Len())
	for member := range target.Members() {
		have[member.Name()] = member
	}
	for member := range patch.Members() {
		old := have[member.Name()]
		switch {
		case member.Kind() == document.Null:
			if old.Exists() {
				e.Remove(old)
			}
		case member.Kind() == document.Object && old.Kind() == document.Object:
			mergeInto(e, old, member)
		case old.Exists():
			e.Replace(old, appendMerged(nil, member))
		default:
			e.Add(target, member.Name(), appendMerged(nil, member))
		}
	}
}

// appendMerged appends the result of merging a value into nothing: the value without null members
// at any level.
func appendMerged(dst []byte, v document.Value) []byte {
	if v.Kind() != document.Object {
		return append(dst, v.Raw()...)
	}
	dst = append(dst, '{')
	first := true
	for member := range v.Members() {
		if member.Kind() == document.Null {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(r4.AppendString(dst, member.Name()), ':')
		dst = appendMerged(dst, member)
	}
	return append(dst, '}')
}
