package valueset

import (
	"context"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// FuzzCompile: every decodable value set either fails with a reason, or compiles to a set whose
// listing, totals, membership and explanation agree.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`{"resourceType":"ValueSet","status":"draft","compose":{"include":[{"system":"http://zoo"}]}}`,
		`{"resourceType":"ValueSet","url":"http://v","version":"1","compose":{"inactive":false,"include":[{"system":"http://zoo","filter":[{"property":"concept","op":"is-a","value":"mammal"},{"property":"color","op":"in","value":"black,brown"}]}],"exclude":[{"system":"http://zoo","concept":[{"code":"dog"}]}]}}`,
		`{"resourceType":"ValueSet","compose":{"include":[{"system":"http://zoo","version":"1","concept":[{"code":"cat","display":"Puss","designation":[{"language":"de","value":"Katze"}]},{"code":"x"}]},{"system":"http://none","concept":[{"code":"q"}]}]}}`,
		`{"resourceType":"ValueSet","contained":[{"resourceType":"ValueSet","id":"in","compose":{"include":[{"valueSet":["#in"]},{"system":"http://zoo"}]}}],"compose":{"include":[{"valueSet":["#in","http://v"]}]}}`,
		`{"resourceType":"ValueSet","expansion":{"contains":[{"system":"http://zoo","code":"cat","contains":[{"system":"http://none","code":"z","inactive":true}]}]}}`,
		`{"resourceType":"ValueSet","compose":{"include":[{"system":"http://zoo","filter":[{"property":"code","op":"regex","value":"[a-c].*"},{"property":"concept","op":"descendent-leaf","value":"animal"}]},{"valueSet":["http://vs/black"]}],"exclude":[{"valueSet":["http://vs/black"]},{"system":"http://none"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	z := zoo(f)
	w := &world{systems: []*system{z}, valueSets: []*r4.ValueSet{
		valueSet("http://vs/black", r4.Compose{Include: []r4.Include{{System: z.url, Filter: []r4.Filter{{Property: "color", Op: "=", Value: "black"}}}}}),
	}}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, data []byte) {
		vs, err := r4.DecodeValueSet(data)
		if err != nil {
			return
		}
		set, err := Compile(ctx, w, vs, nil)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			if _, err := Explain(ctx, w, vs, z.url, "", "cat", nil); err != nil {
				t.Fatalf("explain: %v", err)
			}
			return
		}
		if set.Cost() <= 0 {
			t.Fatal("a set costs something")
		}
		var entries []Entry
		total, err := set.Page(ctx, PageRequest{Count: -1}, func(e *Entry) error {
			entries = append(entries, *e)
			return nil
		})
		if err != nil || total != len(entries) || total != set.Len() {
			t.Fatalf("total %d of %d, %v", total, len(entries), err)
		}
		for _, r := range []PageRequest{{Nested: true, Count: -1}, {ActiveOnly: true, Count: -1}, {Query: codesystem.CompileQuery("c"), Count: -1}} {
			n := 0
			if total, err := set.Page(ctx, r, func(*Entry) error { n++; return nil }); err != nil || total != n {
				t.Fatalf("%+v: total %d of %d, %v", r, total, n, err)
			}
		}
		for i := range min(len(entries), 20) {
			e := &entries[i]
			if e.System == "" {
				continue
			}
			if _, ok := set.Contains(e.System, e.Version, e.Code); !ok {
				t.Fatalf("%s is listed but not found", nameOfEntry(e))
			}
			if node, err := Explain(ctx, w, vs, e.System, e.Version, e.Code, nil); err != nil || !node.Verdict {
				t.Fatalf("%s is listed but explained away: %+v, %v", nameOfEntry(e), node, err)
			}
		}
	})
}
