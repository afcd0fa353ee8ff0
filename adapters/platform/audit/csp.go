package audit

import (
	"fmt"
	"slices"
	"strings"
)

// A policy is a Content-Security-Policy: sources by directive, in lower case.
type policy map[string][]string

// parsePolicies reads the values of a header. Each value may hold several policies, separated by commas,
// which all apply.
func parsePolicies(values []string) (list []policy) {
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			p := policy{}
			for directive := range strings.SplitSeq(strings.ToLower(text), ";") {
				if words := strings.Fields(directive); len(words) > 0 {
					p[words[0]] = words[1:]
				}
			}
			if len(p) > 0 {
				list = append(list, p)
			}
		}
	}
	return list
}

// governs reports whether the policy is about content, not only about framing and the like.
func (p policy) governs() bool {
	for _, name := range []string{"script-src", "default-src", "object-src", "base-uri"} {
		if _, has := p[name]; has {
			return true
		}
	}
	return false
}

// gradePolicies returns what is wrong with the policies that a response has. Platform toolkit, section
// 5.7. Of several policies that govern content a browser obeys all, so the best one is graded. mention is
// a remark that is no failure.
func gradePolicies(policies []policy, reportOnly bool) (failures []string, mention string) {
	if reportOnly {
		failures = append(failures, "the policy is report-only, so nothing is blocked")
	}
	var content []string
	governed := false
	framed, open := false, false
	for _, p := range policies {
		if p.governs() {
			if grade := p.content(); !governed || len(grade) < len(content) {
				content = grade
			}
			governed = true
		}
		if sources, has := p["frame-ancestors"]; has {
			broad := slices.ContainsFunc(sources, isBroad)
			framed, open = framed || !broad, open || broad
		}
		for _, sources := range p {
			if slices.Contains(sources, "'strict-dynamic'") {
				mention = "It uses 'strict-dynamic'."
			}
		}
	}
	failures = append(failures, content...)
	if open && !framed {
		failures = append(failures, "frame-ancestors allows any site")
	}
	return failures, mention
}

// content returns what is wrong with a policy that governs content.
func (p policy) content() (failures []string) {
	scripts, name := p["script-src"], "script-src"
	if _, has := p[name]; !has {
		scripts, name = p["default-src"], "default-src"
	}
	if _, has := p[name]; !has {
		failures = append(failures, "neither script-src nor default-src is set")
	}
	if bad := weak(scripts); len(bad) > 0 {
		failures = append(failures, fmt.Sprintf("%s allows %s", name, strings.Join(bad, ", ")))
	}
	objects, name := p["object-src"], "object-src"
	if _, has := p[name]; !has {
		objects, name = p["default-src"], "default-src"
	}
	if _, has := p[name]; !has {
		failures = append(failures, "object-src is not set")
	} else if bad := weak(objects); len(bad) > 0 && name == "object-src" {
		failures = append(failures, "object-src allows "+strings.Join(bad, ", "))
	} else if len(bad) > 0 {
		failures = append(failures, "object-src is not set, and default-src allows "+strings.Join(bad, ", "))
	}
	switch bases, has := p["base-uri"]; {
	case !has:
		failures = append(failures, "base-uri is not set")
	case slices.ContainsFunc(bases, isBroad):
		failures = append(failures, "base-uri allows any address")
	}
	return failures
}

func isBroad(source string) bool {
	return slices.Contains([]string{"*", "http:", "https:", "data:"}, source)
}

// weak returns the sources that allow too much.
func weak(sources []string) (bad []string) {
	for _, source := range sources {
		if (isBroad(source) || source == "'unsafe-inline'" || source == "'unsafe-eval'") && !slices.Contains(bad, source) {
			bad = append(bad, source)
		}
	}
	return bad
}
