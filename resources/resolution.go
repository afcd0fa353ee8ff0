package resources

import (
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// A resolution is what the conditions of a transaction find in one state of the store: a
// Version without an id where nothing matches.
type resolution map[condition]Version

// equal reports that two resolutions name the same resources.
func (r resolution) equal(other resolution) bool {
	if r == nil || len(r) != len(other) {
		return false
	}
	for where, v := range r {
		if o, known := other[where]; !known || o.Key != v.Key {
			return false
		}
	}
	return true
}

// resolve asks all conditions but those of deletions.
func (t *transaction) resolve(ctx context.Context, r index.Reader) (resolution, error) {
	found := resolution{}
	for _, where := range t.where.list {
		i := t.where.entry[where]
		if st := t.steps[i]; st.action == actDelete && st.where == where && !t.asked(where) {
			continue
		}
		v, err := t.s.only(ctx, r, where.typ, t.where.params[where])
		if err != nil {
			return nil, entryFailed(i, where.typ, err)
		}
		found[where] = v
	}
	return found, nil
}

// asked reports that something else than a deletion has the condition.
func (t *transaction) asked(where condition) bool {
	for _, st := range t.steps {
		if st.action != actDelete && st.where == where {
			return true
		}
	}
	return t.referred[where]
}

// prepare makes the steps ready for what the conditions find.
func (t *transaction) prepare(ctx context.Context, found resolution) error {
	t.plan = nil
	if err := t.assign(found); err != nil {
		return err
	}
	err := together(ctx, len(t.steps), func(i int) error {
		st := t.steps[i]
		if st.sent == nil || st.there {
			return nil
		}
		if err := t.ready(st, found); err != nil {
			return entryFailed(i, st.typ, err)
		}
		return nil
	})
	if err == nil {
		t.plan = found
	}
	return err
}

// assign tells which resource each step is about.
func (t *transaction) assign(found resolution) error {
	t.targets = map[Key]int{}
	t.made = map[condition]Key{}
	for _, st := range t.steps {
		if st.action == actDelete || st.action == actGet {
			continue
		}
		st.key, st.there = Key{Type: st.typ, ID: st.id}, false
		if st.where != (condition{}) || st.action == actCreate {
			if err := t.choose(st, found[st.where]); err != nil {
				return entryFailed(st.index, st.typ, err)
			}
		}
		if st.there {
			continue
		}
		if other, twice := t.targets[st.key]; twice {
			return changedTwice(st.key, st.index, other)
		}
		t.targets[st.key] = st.index
	}
	return nil
}

// choose finds the resource of a step that does not say its id.
func (t *transaction) choose(st *step, match Version) error {
	conditional := st.where != (condition{})
	if made, is := t.made[st.where]; conditional && is && match.VersionID == 0 && st.action == actCreate {
		st.key, st.there = made, true // an entry before has the same condition
		return nil
	}
	switch {
	case match.VersionID > 0:
		st.key, st.there = match.Key, st.action == actCreate
		if st.action == actUpdate && st.sent.id != "" {
			return st.sent.is(match.ID)
		}
		return nil
	case st.action == actPatch:
		return fmt.Errorf("%w: no resource matches %.200q", ErrNoMatch, st.entry.URL)
	}
	st.key.ID = st.fresh
	if conditional {
		t.made[st.where] = st.key
	}
	return nil
}

// ready makes the document that a step stores: its references name resources here.
func (t *transaction) ready(st *step, found resolution) error {
	d := st.sent
	if len(st.links) > 0 {
		edit := d.doc.Edit()
		for _, l := range st.links {
			text, err := t.replacement(st, l, found)
			if err != nil {
				return err
			}
			edit.Replace(l.value, r4.AppendString(nil, text))
		}
		body, err := edit.Bytes()
		if err != nil {
			return err
		}
		if d, err = t.s.read(st.typ, body); err != nil {
			return err
		}
	}
	st.ready = d
	if err := t.s.check(d); err != nil {
		return err
	}
	return t.s.index(d)
}

// replacement returns what a link becomes.
func (t *transaction) replacement(st *step, l link, found resolution) (string, error) {
	text := l.value.Text()
	if l.kind == linkNarrative {
		return replaceLinks(text, func(url string) (string, bool) { return t.named(st, url) }), nil
	}
	if name, is := t.named(st, text); is {
		return name, nil
	}
	key := found[l.where].Key
	if key.ID == "" {
		key = t.made[l.where]
	}
	if key.ID == "" {
		return "", fmt.Errorf("%w: the reference %.200q finds no resource", ErrNoMatch, text)
	}
	return key.String(), nil
}

// named returns the resource that an entry with a fullUrl is about, as a relative reference.
// A relative url is one of the server that the fullUrl of the step is of.
func (t *transaction) named(st *step, url string) (string, bool) {
	name, fragment, hasFragment := strings.Cut(url, "#")
	to := t.names[name]
	if to == nil {
		if base := baseOf(st.entry.FullURL); base != "" && name != "" {
			to = t.names[base+name]
		}
	}
	if to == nil {
		return "", false
	}
	reference := to.key.String()
	if hasFragment {
		reference += "#" + fragment
	}
	return reference, true
}

// baseOf returns the beginning of a RESTful url, up to the type: "http://example.org/fhir/".
func baseOf(url string) string {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return ""
	}
	i := strings.LastIndexByte(url, '/')
	if i < 0 {
		return ""
	}
	return url[:strings.LastIndexByte(url[:i], '/')+1]
}

// findLinks finds the references of all documents, and the conditions among them.
func (t *transaction) findLinks() error {
	tools := t.s.tools()
	t.referred = map[condition]bool{}
	for _, st := range t.steps {
		if st.sent == nil {
			continue
		}
		st.links = links(tools.tables, st.sent.doc, func(text string, kind linkKind) bool {
			if kind == linkNarrative {
				return strings.Contains(text, "href=") || strings.Contains(text, "src=")
			}
			_, is := t.named(st, text)
			return is || kind == linkReference && t.s.knows(typeOfSearch(text)) == nil
		})
		for i := range st.links {
			l := &st.links[i]
			text := l.value.Text()
			if _, is := t.named(st, text); is || l.kind != linkReference {
				continue
			}
			_, query, _ := strings.Cut(text, "?")
			var err error
			if l.where, err = t.where.add(st.index, typeOfSearch(text), query); err != nil {
				return entryFailed(st.index, st.typ, err)
			}
			t.referred[l.where] = true
		}
	}
	return nil
}

// typeOfSearch returns the type of a reference that is a search, Type?query; "" for any other.
func typeOfSearch(reference string) string {
	typ, _, is := strings.Cut(reference, "?")
	if !is || strings.ContainsAny(typ, ":/#") {
		return ""
	}
	return typ
}
