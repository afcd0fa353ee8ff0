package resources

import (
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// A resolution maps the conditions of a transaction to the resources they match in one state of the
// store. The Version has no id if nothing matches.
type resolution map[condition]Version

// equal reports whether two resolutions name the same resources.
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

// resolve runs all conditions except those that only deletions have.
func (t *transaction) resolve(ctx context.Context, r index.Reader) (resolution, error) {
	found := resolution{}
	for _, where := range t.conditions.list {
		i := t.conditions.firstEntry[where]
		if act := t.actions[i]; act.kind == actDelete && act.condition == where && !t.asked(where) {
			continue
		}
		v, err := t.s.only(ctx, r, where.typ, t.conditions.params[where])
		if err != nil {
			return nil, entryFailed(i, where.typ, err)
		}
		found[where] = v
	}
	return found, nil
}

// asked reports whether an entry other than a deletion has the condition.
func (t *transaction) asked(where condition) bool {
	for _, act := range t.actions {
		if act.kind != actDelete && act.condition == where {
			return true
		}
	}
	return t.referenced[where]
}

// prepare readies the actions for the resources that the conditions match.
func (t *transaction) prepare(ctx context.Context, found resolution) error {
	t.preparedFor = nil
	t.prepared.set(new(entryCount))
	if err := t.assign(found); err != nil {
		return err
	}
	t.questionnaires = &questionnaires{s: t.s}
	for _, act := range t.actions {
		if act.draft != nil && !act.matched {
			t.questionnaires.add(act.key, act.draft)
		}
	}
	err := parallel(ctx, len(t.actions), func(i int) error {
		act := t.actions[i]
		if act.draft == nil || act.matched {
			return nil
		}
		if err := t.prepared.exceeded(); err != nil {
			return err
		}
		if err := t.finish(ctx, act, found); err != nil {
			return entryFailed(i, act.typ, err)
		}
		return t.prepared.add(act.result)
	})
	if err == nil {
		t.preparedFor = found
	}
	return err
}

// assign determines the resource of each action.
func (t *transaction) assign(found resolution) error {
	t.targets = map[Key]int{}
	t.created = map[condition]Key{}
	for _, act := range t.actions {
		if act.kind == actDelete || act.kind == actGet {
			continue
		}
		act.key, act.matched = Key{Type: act.typ, ID: act.id}, false
		if act.condition != (condition{}) || act.kind == actCreate {
			if err := t.choose(act, found[act.condition]); err != nil {
				return entryFailed(act.index, act.typ, err)
			}
		}
		if act.matched {
			continue
		}
		if other, twice := t.targets[act.key]; twice {
			return changedTwice(act.key, act.index, other)
		}
		t.targets[act.key] = act.index
	}
	return nil
}

// choose determines the resource of an action whose address has no id.
func (t *transaction) choose(act *action, match Version) error {
	conditional := act.condition != (condition{})
	if made, is := t.created[act.condition]; conditional && is && match.VersionID == 0 && act.kind == actCreate {
		act.key, act.matched = made, true // an earlier entry has the same condition
		return nil
	}
	switch {
	case match.VersionID > 0:
		act.key, act.matched = match.Key, act.kind == actCreate
		if act.kind == actUpdate && act.draft.id != "" {
			return act.draft.requireID(match.ID)
		}
		return nil
	case act.kind == actPatch:
		return fmt.Errorf("%w: no resource matches %.200q", ErrNoMatch, act.entry.URL)
	}
	act.key.ID = act.newID
	if conditional {
		t.created[act.condition] = act.key
	}
	return nil
}

// finish makes the document that an action stores, with references to resources of this server.
func (t *transaction) finish(ctx context.Context, act *action, found resolution) error {
	d := act.draft
	if len(act.links) > 0 {
		edit := d.doc.Edit()
		for _, l := range act.links {
			text, err := t.replacement(act, l, found)
			if err != nil {
				return err
			}
			edit.Replace(l.value, r4.AppendString(nil, text))
		}
		body, err := edit.Bytes()
		if err != nil {
			return err
		}
		if d, err = t.s.parseDraft(act.typ, body); err != nil {
			return err
		}
		d.action, d.assigned = act.draft.action, act.draft.assigned
	}
	act.result = d
	if err := t.s.check(ctx, d); err != nil {
		return err
	}
	if err := t.questionnaires.check(within(ctx, t.reader), d); err != nil {
		return err
	}
	return t.s.index(d)
}

// replacement returns the new text of a link.
func (t *transaction) replacement(act *action, l link, found resolution) (string, error) {
	text := l.value.Text()
	if l.kind == linkNarrative {
		return replaceLinks(text, func(url string) (string, bool) { return t.named(act, url) }), nil
	}
	if name, is := t.named(act, text); is {
		return name, nil
	}
	key := found[l.condition].Key
	if key.ID == "" {
		key = t.created[l.condition]
	}
	if key.ID == "" {
		return "", fmt.Errorf("%w: no resource matches the reference %.200q", ErrNoMatch, text)
	}
	return key.String(), nil
}

// named returns the resource of the entry whose fullUrl is url, as a relative reference. A relative
// url is resolved against the server of the fullUrl of the action.
func (t *transaction) named(act *action, url string) (string, bool) {
	name, fragment, hasFragment := strings.Cut(url, "#")
	to := t.byFullURL[name]
	if to == nil {
		if base := baseOf(act.entry.FullURL); base != "" && name != "" {
			to = t.byFullURL[base+name]
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

// baseOf returns a RESTful URL up to the type: "http://example.org/fhir/".
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

// findLinks finds the references of all documents and the conditions among them.
func (t *transaction) findLinks() error {
	tools := t.s.tools()
	t.referenced = map[condition]bool{}
	for _, act := range t.actions {
		if act.draft == nil {
			continue
		}
		act.links = links(tools.tables, act.draft.doc, func(text string, kind linkKind) bool {
			if kind == linkNarrative {
				return strings.Contains(text, "href=") || strings.Contains(text, "src=")
			}
			_, is := t.named(act, text)
			if !is && kind == linkReference && (strings.HasPrefix(text, "urn:uuid:") || strings.HasPrefix(text, "urn:oid:")) {
				act.dangling = append(act.dangling, validate.Issue{
					Severity: validate.Warning, Code: "not-found", Expression: fmt.Sprintf("Bundle.entry[%d].resource", act.index),
					Text: fmt.Sprintf("no entry of the Bundle has the fullUrl %.100q, so the reference is stored as it is", text),
				})
			}
			return is || kind == linkReference && t.s.checkType(typeOfSearch(text)) == nil
		})
		for i := range act.links {
			l := &act.links[i]
			text := l.value.Text()
			if _, is := t.named(act, text); is || l.kind != linkReference {
				continue
			}
			_, query, _ := strings.Cut(text, "?")
			var err error
			if l.condition, err = t.conditions.add(act.index, typeOfSearch(text), query); err != nil {
				return entryFailed(act.index, act.typ, err)
			}
			t.referenced[l.condition] = true
		}
	}
	return nil
}

// typeOfSearch returns the type of a reference that is a search, Type?query, and "" for any other.
func typeOfSearch(reference string) string {
	typ, _, is := strings.Cut(reference, "?")
	if !is || strings.ContainsAny(typ, ":/#") {
		return ""
	}
	return typ
}
