package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roget-health/roget/access"
)

// document is the form of the file.
type document struct {
	Rules []entry `toml:"rule"`
}

type entry struct {
	Name        string `toml:"name"`
	Issuer      texts  `toml:"issuer"`
	Client      texts  `toml:"client"`
	Subject     texts  `toml:"subject"`
	Role        texts  `toml:"role"`
	Method      texts  `toml:"method"`
	Certificate texts  `toml:"certificate"`
	Allow       texts  `toml:"allow"`
	Deny        texts  `toml:"deny"`
	Scopes      string `toml:"scopes"`
	Patient     string `toml:"patient"`
	User        string `toml:"user"`
}

// keys are the keys of a rule, for errors.
const keys = "name, issuer, client, subject, role, method, certificate, allow, deny, scopes, patient and user"

// isKnown reports whether the file may have a key. The library that reads TOML would also take Deny for
// deny, and [[rule]] and [[Rule]] for one list, whose rules then mix.
func isKnown(key toml.Key) bool {
	switch len(key) {
	case 1:
		return key[0] == "rule"
	case 2:
		return key[0] == "rule" && slices.Contains(strings.Split(strings.ReplaceAll(keys, " and ", ", "), ", "), key[1])
	}
	return false
}

// texts is a text or an array of texts.
type texts []string

// UnmarshalTOML implements toml.Unmarshaler.
func (t *texts) UnmarshalTOML(value any) error {
	list, is := value.([]any)
	if !is {
		list = []any{value}
	}
	*t = texts{} // not nil: an empty array is not a key that is left out
	for _, v := range list {
		text, is := v.(string)
		if !is || text == "" {
			return fmt.Errorf("%v is not a text, nor an array of texts", v)
		}
		*t = append(*t, text)
	}
	return nil
}

// A Check returns an error if a scope cannot be decided: an unknown type or search parameter, a value
// set that is not loaded.
type Check func(access.Scope) error

// methods are the values of method.
var methods = [...]string{"jwt", "introspection", "token", "basic", "certificate", Anonymous}

// Parse reads a policy. name is that of the file, for errors, which have line, key and remedy. It
// returns all errors of the rules, joined. check may be nil.
func Parse(name, content string, check Check) (*Policy, error) {
	var d document
	meta, err := toml.Decode(content, &d)
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, fmt.Errorf("%s: line %d: %s", name, at.Position.Line, strings.TrimPrefix(at.Message, "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	source := lines(strings.Split(content, "\n"))
	var found []error
	for _, key := range meta.Keys() {
		if isKnown(key) {
			continue
		}
		found = append(found, fmt.Errorf("%s: line %d: unknown key %s; a policy has [[rule]], with %s", name, source.key(key), key, keys))
	}
	p := new(Policy)
	for i := range d.Rules {
		r := reader{name: name, lines: source, rule: i, check: check}
		p.Rules = append(p.Rules, r.read(&d.Rules[i]))
		found = append(found, r.errs...)
	}
	if len(d.Rules) == 0 && len(found) == 0 {
		found = append(found, fmt.Errorf("%s: there is no [[rule]], so nobody may do anything; add one with allow", name))
	}
	if len(found) > 0 {
		return nil, errors.Join(found...)
	}
	p.grants, err = lru.New[*access.Principal, *access.Grant](maxGrants)
	return p, err
}

// A reader reads one rule and collects its errors.
type reader struct {
	name  string
	lines lines
	rule  int // its number
	check Check
	errs  []error
}

// fail adds an error about a key, at the line that has a text.
func (r *reader) fail(key, text, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s: line %d: %s: %w", r.name, r.lines.find(r.rule, key, text), key, fmt.Errorf(format, args...)))
}

func (r *reader) read(e *entry) Rule {
	rule := Rule{
		Name: e.Name, Line: r.lines.find(r.rule, "", ""), Issuer: e.Issuer, Client: e.Client, Subject: e.Subject, Role: e.Role,
		Method: e.Method, Certificate: e.Certificate, Patient: e.Patient, User: e.User, Replace: e.Scopes == "replace",
	}
	if rule.Name == "" {
		rule.Name = fmt.Sprintf("rule %d", r.rule+1)
	}
	for _, c := range [...]struct {
		key  string
		list texts
	}{
		{"issuer", e.Issuer},
		{"client", e.Client},
		{"subject", e.Subject},
		{"role", e.Role},
		{"method", e.Method},
		{"certificate", e.Certificate},
		{"allow", e.Allow},
		{"deny", e.Deny},
	} {
		if c.list != nil && len(c.list) == 0 { // a condition without values would hold for everybody
			r.fail(c.key, "", "the array is empty; add a value, or leave the key out")
		}
	}
	for _, m := range e.Method {
		if !slices.Contains(methods[:], m) {
			r.fail("method", m, "%q is not one of %s", m, strings.Join(methods[:], ", "))
		}
	}
	if e.Scopes != "" && e.Scopes != "narrow" && e.Scopes != "replace" {
		r.fail("scopes", e.Scopes, "%q is not narrow (allow limits the scopes of a token) or replace (allow holds in place of them)", e.Scopes)
	}
	if len(e.Allow)+len(e.Deny) == 0 {
		r.fail("rule", "", "the rule neither allows nor denies anything; add allow or deny with scopes such as user/Observation.rs")
	}
	rule.Allow, rule.Deny = r.scopes("allow", e.Allow), r.scopes("deny", e.Deny)
	return rule
}

func (r *reader) scopes(key string, list texts) (scopes []access.Scope) {
	for _, text := range list {
		s, err := access.ParseScope(text)
		if err == nil && r.check != nil {
			if err = r.check(s); err != nil {
				err = fmt.Errorf("scope %q: %w", text, err)
			}
		}
		if err != nil {
			r.fail(key, text, "%w", err)
			continue
		}
		scopes = append(scopes, s)
	}
	return scopes
}
