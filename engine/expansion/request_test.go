package expansion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// TestComplete: a parameter of the value set counts where the request has none, lists have both, and what
// cannot be read is ignored.
func TestComplete(t *testing.T) {
	yes, no, none, two := true, false, 0, 2
	list := []string{"a", "b"}
	have := Request{Filter: "f", Count: &two, Offset: &two, ActiveOnly: &no, Properties: list[:1], DisplayLanguage: "de"}
	for _, tt := range []struct {
		before     Request
		parameters string
		after      Request
	}{
		{Request{}, "count=0 offset=2 filter=x displayLanguage=en", Request{Count: &none, Offset: &two, Filter: "x", DisplayLanguage: "en"}},
		{Request{}, "count=-1 offset=x activeOnly=maybe", Request{}},
		{Request{}, "activeOnly=true excludeNested=false forgiving=true includeDesignations=true includeDefinition=true excludeNotForUI=true excludePostCoordinated=true", Request{
			ActiveOnly: &yes, ExcludeNested: &no, Forgiving: &yes, IncludeDesignations: &yes, IncludeDefinition: &yes, ExcludeNotForUI: &yes, ExcludePostCoordinated: &yes,
		}},
		{have, "count=0 offset=0 filter=x displayLanguage=en activeOnly=true property=a", have},
		{have, "property=c", Request{Filter: "f", Count: &two, Offset: &two, ActiveOnly: &no, Properties: []string{"a", "c"}, DisplayLanguage: "de"}},
		{Request{}, "property=a designation=b useSupplement=c property=d property=a", Request{Properties: []string{"a", "d"}, Designations: []string{"b"}, UseSupplements: []string{"c"}}},
		{Request{}, "system-version=s|1 other=x", Request{Versions: catalog.VersionRules{System: []string{"s|1"}}}},
	} {
		got := tt.before
		for p := range strings.FieldsSeq(tt.parameters) {
			name, text, _ := strings.Cut(p, "=")
			got.complete(name, text)
		}
		if d := cmp.Diff(tt.after, got); d != "" {
			t.Errorf("%s: %s", tt.parameters, d)
		}
	}
	if list[1] != "b" {
		t.Error("the list of the request was changed")
	}
}

// TestTable lists codes for people.
func TestTable(t *testing.T) {
	r := Result{ValueSet: &r4.ValueSet{Header: r4.Header{URL: "http://v", Version: "1"}}, Entries: []valueset.Entry{
		{System: "http://s", Code: "a", Display: "A", Abstract: true}, {System: "http://s", Code: "b", Display: "B", Inactive: true, Depth: 1}, {System: "http://s", Code: "c", Abstract: true, Inactive: true},
	}}
	r.Total = 1003
	check := func(want ...string) {
		t.Helper()
		table := r.Table()
		got := []string{table.Title, table.Footer, strings.Join(table.Header, ",")}
		for _, row := range table.Rows {
			got = append(got, strings.Join(row, ","))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	check("http://v|1", "3 of 1,003", "CODE,DISPLAY", "a,A (abstract)", "  b,B (inactive)", "c,(abstract) (inactive)")
	r.Incomplete, r.Offset, r.Entries[1].System = true, 1, "http://t"
	check("http://v|1", "3 of 1,003, which is the limit, from 2 on", "CODE,DISPLAY,SYSTEM", "a,A (abstract),http://s", "  b,B (inactive),http://t", "c,(abstract) (inactive),http://s")
	r.versions, r.Entries = true, []valueset.Entry{{System: "http://s", Version: "2", Code: "a"}}
	check("http://v|1", "1 of 1,003, which is the limit, from 2 on", "CODE,DISPLAY,SYSTEM", "a,,http://s|2")
}
