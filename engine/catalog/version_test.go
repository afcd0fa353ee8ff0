package catalog

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

func TestCompareVersions(t *testing.T) {
	ascending := []string{
		"", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
		"1.2.0", "1.10.0", "2.0.0", "9", "10", "2023-10", "2024-04", "2024-04-01", "20240501", "v1", "v2", "v10",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, want := CompareVersions(a, b), compareInts(i, j); got != want {
				t.Errorf("compareVersions(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestCompareDays: releases of RxNorm go by their day, month first as they write it.
func TestCompareDays(t *testing.T) {
	want := []string{"2.1", "00012025", "13012025", "12311999", "09032024", "12022024", "01062025", "20250107", "02032025"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, CompareVersions)
	if !slices.Equal(got, want) { // those of no month are numbers
		t.Errorf("got %q, want %q", got, want)
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestCompareEditions: releases of SNOMED CT go by edition and date, not by the number of
// their module.
func TestCompareEditions(t *testing.T) {
	ascending := []string{
		"20260101",
		"http://snomed.info/xsct/900000000000207008/version/20260601",
		"http://snomed.info/sct/731000124108/version/20240901",
		"http://snomed.info/sct/32506021000036107/version/20250131",
		"http://snomed.info/sct/11000146104/version/20250331",
		"http://snomed.info/sct/731000124108/version/20250331",
		"http://snomed.info/sct/900000000000207008/version/20230101",
		"http://snomed.info/sct/900000000000207008/version/20240101",
		"https://example.org/1",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, want := CompareVersions(a, b), compareInts(i, j); got != want {
				t.Errorf("compareVersions(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestCompareVersionsLaws: it is a total order.
func TestCompareVersionsLaws(t *testing.T) {
	version := rapid.OneOf(
		rapid.StringMatching(`(0|1|2|10)\.(0|1|10)\.(0|2)(-(a|1|rc\.1|a\.1))?(\+b)?`),
		rapid.StringMatching(`[0-2x.\-+a]{0,6}`),
		rapid.StringMatching(`http://snomed\.info(/x?sct(/(900000000000207008|7|11)(/version/2025010[12]?)?)?)?`),
		rapid.StringMatching(`http://[rst][12]?`),
		rapid.StringMatching(`(0[12]0[12]|2020)(0101|20(20|19))`),
	)
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := version.Draw(rt, "a"), version.Draw(rt, "b"), version.Draw(rt, "c")
		if CompareVersions(a, b) != -CompareVersions(b, a) {
			rt.Fatalf("%q and %q: not antisymmetric", a, b)
		}
		if CompareVersions(a, b) == 0 && a != b {
			rt.Fatalf("%q and %q: equal but different", a, b)
		}
		list := []string{a, b, c}
		slices.SortFunc(list, CompareVersions)
		if CompareVersions(list[0], list[2]) > 0 {
			rt.Fatalf("%q: not transitive", list)
		}
	})
}

func TestMatchVersion(t *testing.T) {
	for _, tt := range []struct {
		asked, version string
		want           bool
	}{
		{"", "1.0.0", true},
		{"current", "1.0.0", true},
		{"current", "", true},
		{"1.0.0", "current", false},
		{"1.0.0", "1.0.0", true},
		{"1.0", "1.0.0", false},
		{"1.x", "1.0.0", true},
		{"1.x", "1.5", true},
		{"1.*", "1.5", true},
		{"1.X", "2.5", false},
		{"1.x", "1", false},
		{"1.x", "1.", false},
		{"1.x.0", "1.7.0", true},
		{"1.x.0", "1.7.1", false},
		{"1.x.0", "1.7", false},
		{"x", "3", true},
		{"x", "", false},
		{"*", "2024-04", true},
		{"1.2.x", "1.2.3.4", true},
		{"1.2.x", "1.3.3", false},
		{"xy", "xy", true},
		{"xy", "xz", false},
		{"1.0?", "1.0.7", true},
		{"1.0?", "1.0.0-beta", true},
		{"1?", "1", true},
		{"1?", "1.2.3", true},
		{"1.0?", "1.01.0", false},
		{"1.0.0?", "1.0.0+build", true},
		{"?", "1.0.0", false},
		{"2024", "2024-05", true},
		{"2024-05", "2024-05-01T10:00:00Z", true},
		{"2024-05-01", "2024-05-01T10:00:00Z", true},
		{"202", "2024-05", false},
		{"2024", "20240501", false},
		{"http://e/1", "http://e/1/version/2024", true},
		{"http://e/1", "http://e/12/version/2024", false},
		{"1", "1.5", true},
		{"1", "1.5.0", false},
		{"1.5.0", "1.5.0-rc.1", false},
	} {
		if got := MatchVersion(tt.asked, tt.version); got != tt.want {
			t.Errorf("matchVersion(%q, %q) = %v", tt.asked, tt.version, got)
		}
	}
}

func TestVersionRules(t *testing.T) {
	rules := VersionRules{
		System: []string{"http://a|1.0.0", "http://a|1.0.0"},
		Check:  []string{"http://b|2.x", "http://b|3.x"},
		Force:  []string{"http://c|3"},
	}
	set, err := rules.Parse()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ system, version, want string }{
		{"http://a", "", "1.0.0"},
		{"http://a", "5", "5"},
		{"http://b", "", "2.x"},
		{"http://b", "1", "1"},
		{"http://c", "", "3"},
		{"http://c", "1", "3"},
		{"http://d", "", ""},
	} {
		if got := set.Choose(tt.system, tt.version); got != tt.want {
			t.Errorf("choose(%q, %q) = %q, want %q", tt.system, tt.version, got, tt.want)
		}
	}
	if set.Allows("http://b", "2.7") != nil || set.Allows("http://b", "1.0") == nil || set.Allows("http://a", "9") != nil {
		t.Error("check-system-version")
	}
	sets := VersionRules{ValueSet: []string{"http://a|1"}, CheckValueSet: []string{"http://b|2.x"}, ForceValueSet: []string{"http://c|3"}}
	if set, err = sets.Parse(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ url, version, want string }{
		{"http://a", "", "1"},
		{"http://a", "5", "5"},
		{"http://b", "", "2.x"},
		{"http://b", "1", "1"},
		{"http://c", "", "3"},
		{"http://c", "1", "3"},
	} {
		if got := set.ChooseValueSet(tt.url, tt.version); got != tt.want {
			t.Errorf("chooseValueSet(%q, %q) = %q, want %q", tt.url, tt.version, got, tt.want)
		}
		if got := set.Choose(tt.url, tt.version); got != tt.version {
			t.Errorf("a rule for value sets chose version %q of a code system", got)
		}
	}
	if set.AllowsValueSet("http://b", "2.7") != nil || set.AllowsValueSet("http://b", "1.0") == nil || set.Allows("http://b", "1.0") != nil {
		t.Error("check-valueset-version")
	}
	for _, bad := range []VersionRules{
		{System: []string{"http://a"}}, {Check: []string{"http://a|"}}, {Force: []string{"|1"}}, {Force: []string{"http://a|1|2"}},
	} {
		if _, err := bad.Parse(); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
	if set, err := (&VersionRules{}).Parse(); set != nil || err != nil {
		t.Error("no rules are no rule set")
	}
	for says, bad := range map[string]VersionRules{
		"Multiple version overrides found for system http://a: '1', '2'":  {Force: []string{"http://a|1", "http://b|1", "http://a|2"}},
		"Multiple default versions found for system http://a: '1', '2'":   {System: []string{"http://a|1", "http://a|2"}},
		"Multiple default versions found for system http://v: '1', '1.x'": {ValueSet: []string{"http://v|1", "http://v|1.x"}},
	} {
		_, err := bad.Parse()
		var outcome issue.OutcomeError
		if !errors.As(err, &outcome) || !errors.Is(err, issue.ErrInvalidParameter) || outcome.Class() != issue.ClassInvalid {
			t.Fatalf("%v: %v", bad, err)
		}
		i := outcome.Issues()[0]
		if i.Details.Text != says || i.Severity != "error" || i.Code != "exception" || i.Details.Coding[0].Code != "version-error" {
			t.Errorf("%+v", i)
		}
	}
}

func FuzzMatchVersion(f *testing.F) {
	for _, s := range []string{"1.x", "1.0.0", "*", "..", "x.x", ""} {
		f.Add(s, "1.0.0")
	}
	f.Fuzz(func(t *testing.T, asked, version string) {
		if !MatchVersion(version, version) {
			t.Errorf("%q does not match itself", version)
		}
		if !isPattern(asked) && MatchVersion(asked, version) && !strings.HasPrefix(version, asked) {
			t.Errorf("%q and %q", asked, version)
		}
		if _, _, semantic := splitSemver(version); semantic && !isPattern(asked) && MatchVersion(asked, version) != (asked == "" || asked == version) {
			t.Errorf("%q and %q, which is semantic", asked, version)
		}
		if CompareVersions(asked, version) != -CompareVersions(version, asked) {
			t.Errorf("order of %q and %q", asked, version)
		}
	})
}

// A table that changes in steps has what a map has that is copied at every step, and
// what was read from earlier steps stays as it was.
func TestRecordsAreMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type step struct {
			table records
			model map[string][]*Record
		}
		steps := []step{{model: map[string][]*Record{}}}
		var seq uint64
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			last := steps[len(steps)-1]
			next := step{last.table.own(), maps.Clone(last.model)}
			for range rapid.IntRange(0, 60).Draw(t, "changes") {
				key := strconv.Itoa(rapid.IntRange(0, 80).Draw(t, "key"))
				have := next.model[key]
				if len(have) > 0 && rapid.Bool().Draw(t, "discard") {
					r := rapid.SampledFrom(have).Draw(t, "record")
					next.table.discard(key, r)
					next.model[key] = slices.DeleteFunc(slices.Clone(have), func(x *Record) bool { return x == r })
					continue
				}
				seq++
				r := &Record{Entry: &Entry{Header: r4.Header{Version: strconv.Itoa(int(seq % 3))}}, Seq: seq}
				next.table.insert(key, r)
				next.model[key] = append(slices.Clone(have), r)
				slices.SortFunc(next.model[key], precedence)
			}
			if rapid.Bool().Draw(t, "fold") {
				next.table.fold()
			}
			steps = append(steps, next)
		}
		for i, s := range steps {
			maps.DeleteFunc(s.model, func(_ string, list []*Record) bool { return len(list) == 0 })
			if len(s.model) > 0 && s.table.empty() || i == 0 && !s.table.empty() {
				t.Fatalf("step %d: empty is %v of %d keys", i, s.table.empty(), len(s.model))
			}
			if got := maps.Collect(s.table.all()); !maps.EqualFunc(got, s.model, slices.Equal) {
				t.Fatalf("step %d: %d keys, want %d", i, len(got), len(s.model))
			}
			for key := range 81 {
				if got, want := s.table.get(strconv.Itoa(key)), s.model[strconv.Itoa(key)]; !slices.Equal(got, want) {
					t.Fatalf("step %d, key %d: %v, want %v", i, key, got, want)
				}
			}
		}
	})
}

// TestRuleSet: rules are not those that are left unchecked, for caches too; the first of two that are the same
// counts, and two that disagree are refused.
func TestRuleSet(t *testing.T) {
	r, err := (&VersionRules{System: []string{"http://s|1"}, Check: []string{"http://s|2", "http://s|2"}}).Parse()
	if err != nil {
		t.Fatal(err)
	}
	free := r.Unchecked()
	if r.Allows("http://s", "1") == nil || free.Allows("http://s", "1") != nil || r.Key == free.Key || strings.Count(r.Key, "|2") != 1 {
		t.Errorf("%q and %q", r.Key, free.Key)
	}
	if plain, err := (&VersionRules{System: []string{"http://s|1"}}).Parse(); err != nil || plain.Unchecked() != plain || plain.Choose("http://s", "") != "1" {
		t.Error(plain, err)
	}
	for _, bad := range []VersionRules{{System: []string{"http://s|1", "http://s|2"}}, {Force: []string{"http://s|"}}, {ValueSet: []string{"http://s|1|2"}}} {
		if r, err := bad.Parse(); err == nil {
			t.Errorf("%v: %v", bad, r)
		}
	}
}

// TestComplete: a value set adds rules about what the request has no rule of the same name for.
func TestComplete(t *testing.T) {
	v := VersionRules{System: []string{"http://s|1"}}
	for _, p := range [][2]string{{"system-version", "http://s|2"}, {"system-version", "http://t|2"}, {"force-system-version", "http://s|3"}, {"no-version", "http://s|4"}} {
		v.Complete(p[0], p[1])
	}
	if !slices.Equal(v.System, []string{"http://s|1", "http://t|2"}) || !slices.Equal(v.Force, []string{"http://s|3"}) || len(v.Check)+len(v.ValueSet)+len(v.CheckValueSet)+len(v.ForceValueSet) > 0 {
		t.Errorf("%+v", v)
	}
}

// TestSplitVersioned splits canonicals; a version that is there twice must be the same.
func TestSplitVersioned(t *testing.T) {
	for _, tt := range [][4]string{
		{"http://s", "", "http://s", ""},
		{"http://s", "1", "http://s", "1"},
		{"http://s|1", "", "http://s", "1"},
		{"http://s|1", "1", "http://s", "1"},
		{"http://s|", "1", "", ""},
		{"http://s|1", "2", "", ""},
		{"http://s|1|2", "", "", ""},
		{"http://s#x|1", "", "", ""},
		{"http://s|1#x", "", "http://s#x", "1"},
		{"http://s?fhir_vs=ecl/1 |x|", "2", "http://s?fhir_vs=ecl/1 |x|", "2"},
		{"http://s?fhir_vs=ecl/1 |x||2", "", "http://s?fhir_vs=ecl/1 |x|", "2"},
	} {
		if url, version, err := SplitVersioned("url", tt[0], tt[1]); url != tt[2] || version != tt[3] || (err != nil) != (tt[2] == "") {
			t.Errorf("%q: %q, %q, %v", tt, url, version, err)
		}
	}
	for base, want := range map[string]bool{
		SNOMED: false, SNOMED + "/900000000000207008": true, SNOMED + "/900000000000207008/version/20260101": true, "http://s": false,
	} {
		if system, version, ok := editionBase(base); ok != want || ok && (system != SNOMED || version != base) {
			t.Errorf("%s: %s, %s, %v", base, system, version, ok)
		}
	}
}

// TestName makes ids of the letters, digits, hyphens and full stops at the end of a url.
func TestName(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range [][3]string{
		{"http://s/x/az{`AZ@[09;-.,_", "", "azAZ09-.-"}, {"urn:oid:1.2", "", "1.2-"}, {"http://s/", "", "x-"}, {"http://s/" + strings.Repeat("a", 50), "", strings.Repeat("a", 40) + "-"}, {"http://s/", "1", "x-"},
	} {
		e := Entry{Header: r4.Header{ResourceType: "CodeSystem", URL: tt[0], Version: tt[1]}}
		e.name()
		if id := e.Header.ID; !strings.HasPrefix(id, tt[2]) || len(id) != len(tt[2])+16 || seen[id] {
			t.Errorf("%q: %s", tt, id)
		}
		seen[e.Header.ID] = true
	}
}
