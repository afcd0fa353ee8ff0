package terminology

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// A Scope selects the codes that a tool works on.
type Scope struct {
	System   string `json:"system,omitempty" jsonschema:"code system: url, url|version or name"`
	ValueSet string `json:"valueset,omitempty" jsonschema:"only codes of this value set: url or name"`
	Below    string `json:"below,omitempty" jsonschema:"only this code of system and its descendants"`
	ECL      string `json:"ecl,omitempty" jsonschema:"only codes of this expression constraint: << 73211009 in SNOMED CT; << code#\"E11\" with another system"`
}

// snomed is the default code system of expression constraints.
const snomed = "http://snomed.info/sct"

// maxExpression bounds an expression constraint.
const maxExpression = 4000

var (
	errScope = errors.New("nothing says which codes are meant: give system, valueset, or system with below or ecl; catalogue lists what is loaded")
	errBelow = errors.New("below needs system: the code system of the code")
)

// set returns the value set of the scope: what a value set resource has as its compose. It
// is nil for a scope without restrictions.
func (t *Tools) set(ctx context.Context, s Scope) (compose map[string]any, err error) {
	var imports []string
	system, err := t.resolve(ctx, "CodeSystem", s.System)
	if err != nil {
		return nil, err
	}
	if s.ValueSet != "" {
		canonical, err := t.resolve(ctx, "ValueSet", s.ValueSet)
		if err != nil {
			return nil, err
		}
		imports = append(imports, canonical)
	}
	if len(s.ECL) > maxExpression {
		return nil, fmt.Errorf("ecl has more than %d bytes: split it, or put the codes into a value set", maxExpression)
	}
	if len(s.Below) > maxCode {
		return nil, fmt.Errorf("below has more than %d bytes: give one code", maxCode)
	}
	plain, version, _ := strings.Cut(system, "|")
	if s.ECL != "" {
		if plain == "" {
			plain = snomed
			if _, err := t.resolveSNOMED(ctx); err != nil {
				return nil, err
			}
		}
		imports = append(imports, joined(plain+"?fhir_vs=ecl/"+url.PathEscape(s.ECL), version))
	}
	if s.Below != "" {
		if plain == "" {
			return nil, errBelow
		}
		imports = append(imports, joined(plain+"?fhir_vs=isa/"+url.PathEscape(s.Below), version))
	}
	include := map[string]any{}
	if len(imports) > 0 {
		include["valueSet"] = imports
	}
	if system != "" && s.ECL == "" && s.Below == "" {
		include["system"] = plain
		if version != "" {
			include["version"] = version
		}
	}
	if len(include) == 0 {
		return nil, nil
	}
	return composed(include), nil
}

// resolveSNOMED fails if an expression constraint without a system has nothing to be about.
func (t *Tools) resolveSNOMED(ctx context.Context) (string, error) {
	own, _, err := t.systems(ctx)
	if err != nil {
		return "", err
	}
	for _, system := range own {
		if strings.HasPrefix(system, snomed) {
			return system, nil
		}
	}
	return "", fmt.Errorf("ecl without system is about SNOMED CT, which is not loaded: give system; loaded are %s", some(own))
}

// joined returns a canonical with a version.
func joined(url, version string) string {
	if version == "" {
		return url
	}
	return url + "|" + version
}

// composed returns a value set resource with includes.
func composed(include ...map[string]any) map[string]any {
	return map[string]any{"resourceType": "ValueSet", "status": "active", "compose": map[string]any{"include": include}}
}

// all returns a value set of all codes of code systems.
func all(systems []string) map[string]any {
	include := make([]map[string]any, len(systems))
	for i, s := range systems {
		include[i] = map[string]any{"system": s}
	}
	return composed(include...)
}

// some lists a few names of a list.
func some(names []string) string {
	const most = 6
	if len(names) == 0 {
		return "none"
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
