package terminology

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/mcpadapter/answer"
)

// concept returns a code of a code system. The error is a *Refusal for a code that does not
// exist. $validate-code does not serve here: of a system that is only partly loaded it
// accepts any code.
func (t *Tools) concept(ctx context.Context, system, code string) (Concept, error) {
	a, err := t.ask(ctx, "CodeSystem", "lookup", parameters{}.text("system", system).text("code", code).text("property", "inactive"))
	if err != nil {
		return Concept{}, err
	}
	c := Concept{Code: a.text("code"), Display: answer.Short(a.text("display"), maxDisplay)}
	for _, p := range a.all("property") {
		c.Inactive = c.Inactive || p.text("code") == "inactive" && p.is("value")
	}
	return c, nil
}

func isRefusal(err error) bool {
	_, refused := errors.AsType[*Refusal](err)
	return refused
}

// maxTried bounds the code systems that are tried for a code.
const maxTried = 60

// systemOf returns the canonical of the code system of a code: the one that is named, or the
// only loaded one that has the code.
func (t *Tools) systemOf(ctx context.Context, code, system string) (string, error) {
	if system != "" {
		return t.resolve(ctx, "CodeSystem", system)
	}
	own, _, err := t.systems(ctx)
	if err != nil {
		return "", err
	}
	var has []string
	for _, candidate := range own[:min(len(own), maxTried)] {
		switch _, err := t.concept(ctx, candidate, code); {
		case err == nil:
			has = append(has, candidate)
		case !isRefusal(err):
			return "", err
		}
	}
	switch len(has) {
	case 1:
		return has[0], nil
	case 0:
		return "", fmt.Errorf("none of the loaded code systems (%s) has the code %q; give system if it is one of FHIR, or use find to look for the code by its meaning", some(own), answer.Short(code, 80))
	}
	return "", fmt.Errorf("several code systems have the code %q: give system, one of %s", answer.Short(code, 80), some(has))
}

// noSuchCode adds to an error about an unknown code the codes that are spelled nearly so.
func (t *Tools) noSuchCode(ctx context.Context, err error, code, system string) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok || refusal.Detail != "invalid-code" {
		return t.advise(ctx, err, Scope{System: system})
	}
	near := t.nearCodes(ctx, code, "", system)
	if len(near) == 0 {
		return &advised{err, "Use find to look for the code by its meaning"}
	}
	var lines []string
	for i := range near {
		lines = append(lines, near[i].Code+" "+near[i].Display)
	}
	return &advised{err, "Codes spelled nearly so: " + strings.Join(lines, "; ") + ". Or use find to look for the code by its meaning"}
}
