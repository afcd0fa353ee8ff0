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

// A Terminology knows codes, as search.Terminology does.
type Terminology interface {
	CodesIn(ctx context.Context, valueSet string) (r4.Codes, error)
	CodesBelow(ctx context.Context, system, code string, below bool) (r4.Codes, error)
}

// codes answers the functions about codes. It asks for each set once. The first error is permanent.
type codes struct {
	ctx         context.Context
	terminology Terminology
	sets        map[string]r4.Codes
	err         error
}

// resolve returns an error unless the value sets that paths name are known.
func (c *codes) resolve(paths []compiled) error {
	for _, e := range paths {
		e.Asks(func(function, url string) {
			if function == "memberOf" && url != "" {
				c.valueSet(url)
			}
		})
		if c.err != nil && c.ctx.Err() == nil {
			return &Error{Path: e.place, Text: c.err.Error(), Err: c.err}
		}
	}
	return c.err
}

func (c *codes) valueSet(url string) r4.Codes {
	return c.set(url, func() (r4.Codes, error) { return c.terminology.CodesIn(c.ctx, url) })
}

// set returns a set, and keeps it under its key.
func (c *codes) set(key string, ask func() (r4.Codes, error)) r4.Codes {
	set, found := c.sets[key]
	switch {
	case found || c.err != nil:
		return set
	case c.terminology == nil:
		c.err = errors.New("there is no terminology for memberOf, subsumes and subsumedBy")
		return nil
	case c.sets == nil || len(c.sets) == 1_000: // keep no more
		c.sets = map[string]r4.Codes{}
	}
	set, c.err = ask()
	c.sets[key] = set
	return set
}

// answer implements fhirpath.Ask.
func (c *codes) answer(function string, item, argument fhirpath.Item) (yes, known bool) {
	known = eachCoding(item, func(string, string) bool { return true })
	if function == "memberOf" {
		set := c.valueSet(argument.Text())
		return set != nil && eachCoding(item, set.Contains), known
	}
	below := function == "subsumedBy"
	related := false
	yes = eachCoding(argument, func(system, code string) bool {
		related = true
		set := c.set(fmt.Sprint(system, "|", code, below), func() (r4.Codes, error) { return c.terminology.CodesBelow(c.ctx, system, code, below) })
		return set != nil && eachCoding(item, set.Contains)
	})
	return yes, known && related
}

// eachCoding reports whether fn is true for a coding of a Coding, a CodeableConcept, a code whose system
// the definitions state, or a text "system|code".
func eachCoding(i fhirpath.Item, fn func(system, code string) bool) bool {
	if i.Kind() != document.Object {
		system, code, _ := strings.Cut(i.Text(), "|")
		if i.Element != nil && i.Element.Binding != nil {
			system, code = i.Element.Binding.System(i.Text()), i.Text()
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
