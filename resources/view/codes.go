package view

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
)

// A Terminology knows codes. engine.Engine implements it.
type Terminology interface {
	// CodesIn returns the codes of a value set, such as http://snomed.info/sct?fhir_vs=ecl/<73211009.
	CodesIn(ctx context.Context, valueSet string) (r4.Codes, error)
	// CodesBelow returns a code and all its descendants, or with below false its ancestors.
	CodesBelow(ctx context.Context, system, code string, below bool) (r4.Codes, error)
}

// errNoCodes is returned for a function about codes without a Terminology.
var errNoCodes = errors.New("memberOf, subsumes and subsumedBy need terminology, and there is none")

// AsksCodes reports whether the view needs a Terminology.
func (v *View) AsksCodes() (asks bool) {
	for _, e := range v.checked {
		e.Asks(func(string, string) { asks = true })
	}
	return asks
}

// Resolve returns an error unless the value sets that the view names are known. The Terminology keeps
// what it compiles.
func (v *View) Resolve(ctx context.Context, t Terminology) error {
	var err error
	for _, e := range v.checked {
		e.Asks(func(function, url string) {
			if err == nil && t == nil {
				err = errNoCodes
			} else if err == nil && function == "memberOf" && url != "" {
				_, err = t.CodesIn(ctx, url)
			}
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &InvalidError{Path: e.place, Text: err.Error(), Err: err}
		}
	}
	return nil
}

// maxSets is the number of sets that a runner keeps.
const maxSets = 1_000

// codes answers the functions about codes. Each set is asked for once.
type codes struct {
	ctx         context.Context
	terminology Terminology
	sets        map[string]r4.Codes
	err         error
}

// set returns a set of codes, and keeps it under its key.
func (c *codes) set(key string, ask func() (r4.Codes, error)) r4.Codes {
	set, found := c.sets[key]
	if found || c.err != nil {
		return set
	}
	if c.terminology == nil {
		c.err = errNoCodes
		return nil
	}
	if set, c.err = ask(); c.sets == nil || len(c.sets) == maxSets {
		c.sets = map[string]r4.Codes{}
	}
	c.sets[key] = set
	return set
}

// answer implements fhirpath.Ask.
func (c *codes) answer(function string, item, argument fhirpath.Item) (yes, known bool) {
	switch function {
	case "memberOf":
		url := argument.Text()
		set := c.set(url, func() (r4.Codes, error) { return c.terminology.CodesIn(c.ctx, url) })
		return set != nil && eachCoding(item, set.Contains), set != nil && isCoded(item)
	case "subsumes", "subsumedBy":
		below := function == "subsumedBy"
		yes = eachCoding(argument, func(system, code string) bool {
			set := c.set(fmt.Sprint(system, "|", code, below), func() (r4.Codes, error) {
				return c.terminology.CodesBelow(c.ctx, system, code, below)
			})
			return set != nil && eachCoding(item, set.Contains)
		})
		return yes, isCoded(item) && isCoded(argument)
	}
	return false, false
}

func isCoded(i fhirpath.Item) bool {
	return eachCoding(i, func(string, string) bool { return true })
}

// eachCoding reports whether fn is true for a coding of an item: a Coding, a CodeableConcept, a code
// whose system the definitions state, or a text "system|code".
func eachCoding(i fhirpath.Item, fn func(system, code string) bool) bool {
	if i.Kind() != document.Object {
		system, code, found := strings.Cut(i.Text(), "|")
		if !found && i.Element != nil && i.Element.Binding != nil {
			code, system = i.Text(), i.Element.Binding.System(i.Text())
		}
		return system != "" && code != "" && fn(system, code)
	}
	if i.TypeName() == "Coding" {
		return fn(i.Value.Get("system").Text(), i.Value.Get("code").Text())
	}
	for coding := range i.Value.Get("coding").Items() {
		if fn(coding.Get("system").Text(), coding.Get("code").Text()) {
			return true
		}
	}
	return false
}
