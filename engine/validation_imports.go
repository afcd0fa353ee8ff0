package engine

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// containedKey names a value set inside another one: the list it is in, and its id.
type containedKey struct {
	list *json.RawMessage
	id   string
}

// imported finds a value set that vs imports: however often it is asked for, it is the
// same one. One that is not there is an answer, not a failure of the request.
func (v *validation) imported(vs *r4.ValueSet, canonical string) (*r4.ValueSet, error) {
	if id, ok := strings.CutPrefix(canonical, "#"); ok {
		inner, err := v.containedIn(vs, id)
		if err == nil || !errors.Is(err, issue.ErrUnknownValueSet) {
			return inner, err
		}
	} else {
		t, err := v.source.Target("valueSet", canonical, "")
		if err == nil {
			return t.Definition()
		}
		if !errors.Is(err, issue.ErrUnknownValueSet) {
			return nil, err
		}
	}
	url, version, err := catalog.SplitVersioned("valueSet", canonical, "")
	if err != nil {
		return nil, err
	}
	name := r4.JoinCanonical(url, v.source.Rules.ChooseValueSet(url, version))
	return nil, issue.Answer(issue.ErrUnknownValueSet, issue.UnknownValueSet.Issue("", name))
}

// containedIn finds a value set inside another one. It may name those beside it.
func (v *validation) containedIn(vs *r4.ValueSet, id string) (*r4.ValueSet, error) {
	if len(vs.Contained) == 0 {
		return valueset.Contained(vs, id) // which says that there is none
	}
	key := containedKey{&vs.Contained[0], id}
	if inner := v.contained[key]; inner != nil {
		return inner, nil
	}
	inner, err := valueset.Contained(vs, id)
	if err != nil {
		return nil, err
	}
	inner.Contained = vs.Contained
	if v.contained == nil {
		v.contained = map[containedKey]*r4.ValueSet{}
	}
	v.contained[key] = inner
	return inner, nil
}
