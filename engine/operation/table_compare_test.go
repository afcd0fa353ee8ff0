package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// TestCompareRow asks with value sets in the body and by canonical, by both names of the
// operation.
func TestCompareRow(t *testing.T) {
	e := tableEngine(t)
	vs := func(name, code string) string {
		return `{"name":"` + name + `","resource":{"resourceType":"ValueSet","compose":{"include":[{"system":"http://s","concept":[{"code":"` + code + `"}]}]}}}`
	}
	url := func(name, member string) string { return `{"name":"` + name + `","` + member + `":"http://v"}` }
	for name, test := range map[string]struct {
		id, body string
		yes      bool
		want     string
		err      error
	}{
		"canonicals":        {"", url("thisUrl", "valueUri") + "," + url("otherUrl", "valueCode"), true, `"valueCode":"same"`, nil},
		"a value set given": {"", vs("thisValueSet", "a") + "," + url("otherUrl", "valueUri"), false, `"valueCode":"subset"`, nil},
		"both given":        {"", vs("thisValueSet", "a") + "," + vs("otherValueSet", "b") + `,{"name":"diagnostics","valueBoolean":true}`, false, `{"name":"extra-codes","valueString":"b"}`, nil},
		"an instance":       {"v", vs("otherValueSet", "b"), false, `"valueCode":"superset"`, nil},
		"one is missing":    {"", vs("thisValueSet", "a"), false, "", engine.ErrMissingParameter},
		"one is none":       {"", url("thisUrl", "valueUri") + `,{"name":"otherValueSet","resource":{"resourceType":"ValueSet","compose":[]}}`, false, "", engine.ErrInvalidParameter},
	} {
		t.Run(name, func(t *testing.T) {
			for _, op := range []string{"compare", "related"} {
				var in operation.Input
				in.Reset(row(t, "ValueSet", op))
				in.ID = test.id
				body, err := r4.DecodeParameters([]byte(`{"resourceType":"Parameters","parameter":[` + test.body + `]}`))
				if err != nil {
					t.Fatal(err)
				}
				if err := in.DecodeParameters(body, false); err != nil {
					t.Fatal(err)
				}
				r, err := in.Op.Run(context.Background(), operation.Env{Engine: e}, &in)
				if test.err != nil {
					if !errors.Is(err, test.err) {
						t.Errorf("$%s: %v, want %v", op, err, test.err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				doc := r.AppendJSON(nil)
				if r.Yes() != test.yes || !strings.Contains(string(doc), test.want) {
					t.Errorf("$%s: %v, want %v with %s: %s", op, r.Yes(), test.yes, test.want, doc)
				}
				documented(t, in.Op, doc)
			}
		})
	}
}
