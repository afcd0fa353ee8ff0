package validate_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// mutations make a valid document invalid wherever they are applied; nil means that they do not
// apply to the value.
var mutations = map[string]func(v document.Value) []byte{
	"array instead of a value": func(v document.Value) []byte {
		return bytes.Join([][]byte{[]byte("["), v.Raw(), []byte("]")}, nil)
	},
	"value instead of an array": func(v document.Value) []byte { return v.Index(0).Raw() },
	"empty array":               func(v document.Value) []byte { return only(v, document.Array, `[]`) },
	"empty object":              func(v document.Value) []byte { return only(v, document.Object, `{}`) },
	"empty string":              func(v document.Value) []byte { return only(v, document.String, `""`) },
	"string instead of object":  func(v document.Value) []byte { return only(v, document.Object, `"a"`) },
	"object instead of string":  func(v document.Value) []byte { return only(v, document.String, `{"a":1}`) },
	"string instead of number":  func(v document.Value) []byte { return only(v, document.Number, `"1"`) },
	"number instead of string":  func(v document.Value) []byte { return only(v, document.String, `1.5`) },
	"number instead of boolean": func(v document.Value) []byte { return only(v, document.Bool, `1`) },
	"string instead of boolean": func(v document.Value) []byte { return only(v, document.Bool, `"true"`) },
	"control character":         func(v document.Value) []byte { return only(v, document.String, `" \u0001 "`) },
	"null": func(v document.Value) []byte {
		if v.Parent().Kind() == document.Array && v.Kind() != document.Object {
			return nil // an extension may go with it
		}
		return []byte("null")
	},
}

func only(v document.Value, kind document.Kind, json string) []byte {
	if v.Kind() != kind {
		return nil
	}
	return []byte(json)
}

// TestMutations checks that examples of R4 with one mistake, anywhere, are refused.
func TestMutations(t *testing.T) {
	v := validate.New(definitions.R4())
	random := rand.New(rand.NewPCG(1, 2))
	applied := map[string]int{}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/examples.ndjson.gz")) {
		d, err := document.Parse(line, r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		values := below(nil, d.Root())
		for _, name := range slices.Sorted(maps.Keys(mutations)) {
			mutate := mutations[name]
			at := values[random.IntN(len(values))]
			json := mutate(at)
			if json == nil || at.Name() == "resourceType" || at.Kind() == document.Null {
				continue
			}
			edit := d.Edit()
			edit.Replace(at, json)
			expectRefused(t, v, edit, name, at)
			applied[name]++
		}
		at := values[random.IntN(len(values))]
		if object := at.Parent(); object.Kind() == document.Object && at.Name() != "resourceType" {
			edit := d.Edit()
			edit.Add(object, "zzz", at.Raw())
			expectRefused(t, v, edit, "unknown element", at)
			applied["unknown element"]++
		}
	}
	for name := range mutations {
		if applied[name] == 0 {
			t.Errorf("%s was never applied", name)
		}
	}
}

// below appends a value and all values below it.
func below(list []document.Value, v document.Value) []document.Value {
	for child := range v.Children() {
		list = below(append(list, child), child)
	}
	return list
}

func expectRefused(t *testing.T, v *validate.Validator, edit *document.Editor, name string, at document.Value) {
	t.Helper()
	data, err := edit.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.Parse(data, r4.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if issues := v.Validate(d); !validate.Failed(issues) {
		t.Errorf("%s at %s is accepted: %.60s", name, at.Path(at.Document().ResourceType()), at.Raw())
	}
}
