package cliadapter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/names"
	"github.com/roget-health/roget/engine/operation"
)

// A dictionary resolves short names of code systems, value sets and concept maps against what an
// engine has. It is not safe for concurrent use.
type dictionary struct {
	eng   *engine.Engine
	lists map[string]*names.List // by type
}

func newDictionary(eng *engine.Engine) *dictionary {
	return &dictionary{eng: eng, lists: map[string]*names.List{}}
}

// list returns the names of the resources of a type.
func (d *dictionary) list(typ string) *names.List {
	l := d.lists[typ]
	if l == nil {
		var resources []names.Resource
		for _, e := range d.eng.Entries(typ) {
			if e.Supplements == "" { // which are no code systems of their own
				resources = append(resources, names.Resource{URL: e.Header.URL, ID: e.Header.ID, Name: e.Header.Name, Title: e.Header.Title, BuiltIn: e.Origin == base.Origin})
			}
		}
		l = names.NewList(typ, resources)
		d.lists[typ] = l
	}
	return l
}

// find returns the canonical that a text stands for, which may be a short name with a version
// (icd-10-cm|2021), or the implicit value set of one (icd-10-cm?fhir_vs). For a part of a name, note
// says what was found. The error says which names are near; one about an ambiguous name is a
// UsageError.
func (d *dictionary) find(typ, text string) (canonical, note string, err error) {
	name, rest := text, ""
	if i := strings.Index(text, "?fhir_"); i >= 0 {
		typ, name, rest = kinds[0], text[:i], text[i:]
	} else if i := strings.IndexByte(text, '|'); i >= 0 {
		name, rest = text[:i], text[i:]
	}
	if names.IsURI(name) {
		return text, "", nil // without the list, which takes milliseconds to make
	}
	url, how, err := d.list(typ).Find(name)
	if err != nil {
		return "", "", d.unfound(typ, name, err)
	}
	if how == names.ByPart {
		note = name + " is " + url
	}
	return url + rest, note, nil
}

// unfound says of an error about a name what is loaded.
func (d *dictionary) unfound(typ, name string, err error) error {
	all := "" // what a person who gave the name of a code system may have meant
	if typ == kinds[1] {
		if url, how, err := d.list(kinds[0]).Find(name); err == nil && how != names.ByPart {
			short := d.list(kinds[0]).Short(url)
			all = fmt.Sprintf("all codes of the code system %s are the value set '%s?fhir_vs'", short, short)
		}
	}
	unknown, ok := errors.AsType[*names.UnknownError](err)
	if !ok {
		if all != "" {
			err = fmt.Errorf("%w; %s", err, all)
		}
		return &command.UsageError{Err: err}
	}
	sentinel := map[string]error{kinds[0]: engine.ErrUnknownSystem, kinds[1]: engine.ErrUnknownValueSet, kinds[2]: engine.ErrUnknownConceptMap}[typ]
	err = fmt.Errorf("%w: %s", sentinel, name)
	switch {
	case all != "":
		return &hinted{err: err, hint: all}
	case len(unknown.Nearest) > 0 && !d.nameless(typ, name):
		return &hinted{err: err, hint: fmt.Sprintf("the nearest: %s; use --load or --data to add others", strings.Join(unknown.Nearest, ", "))}
	}
	return explain(err, d.eng)
}

// nameless reports whether a resource that is loaded has a name, but no url by which it could be used.
func (d *dictionary) nameless(typ, name string) bool {
	return slices.ContainsFunc(d.eng.Entries(typ), func(e *engine.Entry) bool {
		return e.Header.URL == "" && (strings.EqualFold(e.Header.ID, name) || strings.EqualFold(e.Header.Name, name))
	})
}

// rename replaces the short names in the parameters of an operation by the canonicals that they
// stand for.
func (inv *invocation) rename(in *operation.Input, flags map[string]string, eng *engine.Engine) error {
	d := newDictionary(eng)
	return in.Rename(func(p *operation.Param, typ, text string) (string, error) {
		return inv.resolve(d, "--"+flags[p.Name], typ, text)
	})
}

// resolve returns the canonical that the value of a flag or argument stands for, and notes what a
// part of a name was taken for.
func (inv *invocation) resolve(d *dictionary, what, typ, text string) (string, error) {
	canonical, note, err := d.find(typ, text)
	if _, ambiguous := errors.AsType[*command.UsageError](err); ambiguous {
		return "", &command.UsageError{Err: fmt.Errorf("%s: %w", what, err)}
	}
	if note != "" {
		inv.note(what + " " + note)
	}
	return canonical, err
}
