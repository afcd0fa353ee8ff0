package conceptmap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
)

type maps map[string]*Map

func (m maps) ConceptMap(_ context.Context, canonical string) (Translator, error) {
	if one, ok := m[canonical]; ok {
		return one, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownMap, canonical)
}

func index(t testing.TB, r *r4.ConceptMap) *Map {
	t.Helper()
	m, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func brief(matches []Match) []string {
	out := []string{}
	for _, m := range matches {
		s := string(m.Equivalence) + " " + m.Concept.System + "#" + m.Concept.Code
		if m.Unmapped != "" {
			s += " (" + m.Unmapped + ")"
		}
		out = append(out, s)
	}
	return out
}

func small() *r4.ConceptMap {
	return &r4.ConceptMap{
		Header: r4.Header{URL: "http://map", Version: "1"},
		Group: []r4.ConceptMapGroup{
			{
				Source: "http://s", SourceVersion: "2", Target: "http://t",
				Element: []r4.ConceptMapElement{
					{Code: "a", Display: "A", Target: []r4.ConceptMapTarget{
						{Code: "x", Display: "X", Equivalence: "wider", Comment: "roughly"},
						{Code: "y", Equivalence: "equal"},
					}},
					{Code: "b", Target: []r4.ConceptMapTarget{{Code: "x", Equivalence: "subsumes"}}},
					{Code: "none", Target: []r4.ConceptMapTarget{{Equivalence: "unmatched", Comment: "nothing fits"}}},
					{Code: "never", Target: []r4.ConceptMapTarget{{Code: "x", Equivalence: "disjoint"}}},
					{Code: "empty"},
					{Code: "if", Target: []r4.ConceptMapTarget{
						{
							Code: "m", Equivalence: "equivalent", DependsOn: []r4.ConceptMapDependsOn{{Property: "sex", Value: "male"}},
							Product: []r4.ConceptMapDependsOn{{Property: "out", Value: "1"}},
						},
						{Code: "f", Equivalence: "equivalent", DependsOn: []r4.ConceptMapDependsOn{{Property: "sex", Value: "female"}}},
					}},
				},
				Unmapped: &r4.ConceptMapUnmapped{Mode: "fixed", Code: "other", Display: "Other"},
			},
			{
				Source: "http://s", Target: "http://u",
				Element:  []r4.ConceptMapElement{{Code: "a", Target: []r4.ConceptMapTarget{{Code: "x", Equivalence: "narrower"}}}},
				Unmapped: &r4.ConceptMapUnmapped{Mode: "provided"},
			},
		},
	}
}

func TestTranslate(t *testing.T) {
	m := index(t, small())
	for _, c := range []struct {
		name  string
		r     Request
		want  []string
		found bool
	}{
		{
			"all targets",
			Request{System: "http://s", Code: "a"},
			[]string{"wider http://t#x", "equal http://t#y", "narrower http://u#x"},
			true,
		},
		{"one target", Request{System: "http://s", Code: "a", TargetSystem: "http://u"}, []string{"narrower http://u#x"}, true},
		{"any system", Request{Code: "b"}, []string{"subsumes http://t#x"}, true},
		{"other version", Request{System: "http://s", Version: "9", Code: "a"}, []string{"narrower http://u#x"}, true},
		{
			"unmatched is not unmapped",
			Request{System: "http://s", Code: "none", TargetSystem: "http://t"},
			[]string{"unmatched #"},
			false,
		},
		{"disjoint is no translation", Request{System: "http://s", Code: "never", TargetSystem: "http://t"}, []string{"disjoint http://t#x"}, false},
		{
			"unmapped",
			Request{System: "http://s", Code: "zzz"},
			[]string{"relatedto http://t#other (fixed)", "relatedto http://u#zzz (provided)"},
			true,
		},
		{
			"an element without targets is unmapped",
			Request{System: "http://s", Code: "empty", TargetSystem: "http://t"},
			[]string{"relatedto http://t#other (fixed)"},
			true,
		},
		{"unknown system", Request{System: "http://q", Code: "a"}, []string{}, false},
		{"no code", Request{System: "http://s"}, []string{}, false},
		{
			"reverse",
			Request{System: "http://t", Code: "x", Reverse: true},
			[]string{"narrower http://s#a", "specializes http://s#b", "disjoint http://s#never"},
			true,
		},
		{"reverse, any system", Request{Code: "y", Reverse: true}, []string{"equal http://s#a"}, true},
		{"reverse, target system", Request{Code: "x", TargetSystem: "http://q", Reverse: true}, []string{}, false},
		{"reverse, unknown", Request{System: "http://t", Code: "nope", Reverse: true}, []string{}, false},
		{
			"depends on something unknown",
			Request{System: "http://s", Code: "if", TargetSystem: "http://t"},
			[]string{"equivalent http://t#m", "equivalent http://t#f"},
			true,
		},
		{
			"depends on something known",
			Request{System: "http://s", Code: "if", TargetSystem: "http://t", DependsOn: []r4.ConceptMapDependsOn{{Property: "sex", Value: "female"}}},
			[]string{"equivalent http://t#f"},
			true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := m.Translate(context.Background(), c.r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, brief(got)); diff != "" {
				t.Errorf("matches (-want +got):\n%s", diff)
			}
			if Found(got) != c.found {
				t.Errorf("Found %v, want %v", Found(got), c.found)
			}
		})
	}
}

func TestMatchTellsAll(t *testing.T) {
	m := index(t, small())
	got, err := m.Translate(context.Background(), Request{System: "http://s", Code: "a", TargetSystem: "http://t"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Match{
		Equivalence: Wider, Map: "http://map|1", Comment: "roughly",
		Concept: r4.Coding{System: "http://t", Code: "x", Display: "X"},
		Source:  r4.Coding{System: "http://s", Version: "2", Code: "a", Display: "A"},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("forward (-want +got):\n%s", diff)
	}
	want.Equivalence, want.Concept, want.Source = Narrower, want.Source, want.Concept
	got, _ = m.Translate(context.Background(), Request{System: "http://t", Code: "x", Reverse: true}, nil)
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("reverse (-want +got):\n%s", diff)
	}
	got, _ = m.Translate(context.Background(), Request{Code: "if"}, nil)
	if len(got) == 0 || len(got[0].DependsOn) != 1 || len(got[0].Product) != 1 {
		t.Errorf("dependsOn and product are lost: %+v", got)
	}
}

func otherMap(url, to string, codes ...string) *r4.ConceptMap {
	g := r4.ConceptMapGroup{Source: "http://s", Target: "http://t", Unmapped: &r4.ConceptMapUnmapped{Mode: "other-map", URL: to}}
	for _, c := range codes {
		g.Element = append(g.Element, r4.ConceptMapElement{Code: c, Target: []r4.ConceptMapTarget{{Code: c + "'", Equivalence: "equivalent"}}})
	}
	return &r4.ConceptMap{Header: r4.Header{URL: url}, Group: []r4.ConceptMapGroup{g}}
}

func TestOtherMap(t *testing.T) {
	all := maps{
		"http://1": index(t, otherMap("http://1", "http://2", "a")),
		"http://2": index(t, otherMap("http://2", "http://3", "b")),
		"http://3": index(t, otherMap("http://3", "http://1", "c")),
		"http://4": index(t, otherMap("http://4", "http://nowhere", "a")),

		"": index(t, otherMap("", "http://5")), "http://5": index(t, otherMap("", "http://nowhere", "a")),
	}
	ask := func(m, code string, r Resolver) ([]string, error) {
		got, err := all[m].Translate(context.Background(), Request{System: "http://s", Code: code}, r)
		return brief(got), err
	}
	for _, c := range []struct{ code, want string }{
		{"a", "equivalent http://t#a'"}, {"b", "equivalent http://t#b' (other-map)"}, {"c", "equivalent http://t#c' (other-map)"},
	} {
		if got, err := ask("http://1", c.code, all); err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v, %v", c.code, got, err)
		}
	}
	if got, err := ask("", "a", all); err != nil || len(got) != 1 {
		t.Errorf("two maps without a url are no circle: %v, %v", got, err)
	}
	if _, err := ask("http://1", "z", all); !errors.Is(err, ErrMapCycle) || !strings.Contains(err.Error(), "http://1 → http://2 → http://3 → http://1") {
		t.Errorf("a circle of maps: %v", err)
	}
	if _, err := ask("http://4", "z", all); !errors.Is(err, ErrUnknownMap) || !strings.Contains(err.Error(), "http://nowhere") {
		t.Errorf("unknown map: %v", err)
	}
	if _, err := ask("http://4", "z", nil); !errors.Is(err, ErrUnknownMap) {
		t.Errorf("no resolver: %v", err)
	}
	if got, err := ask("http://4", "a", nil); err != nil || len(got) != 1 {
		t.Errorf("a mapped code needs no other map: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := all["http://1"].Translate(ctx, Request{System: "http://s", Code: "z"}, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestOtherMapManyWays sends codes on by three groups of each map: what the last one says
// is given once, and no map is asked as often as there are ways to it.
func TestOtherMapManyWays(t *testing.T) {
	const last = 40
	all := maps{}
	for n := range last + 1 {
		m := otherMap(fmt.Sprint("http://", n), fmt.Sprint("http://", n+1))
		if n == last {
			m = otherMap(fmt.Sprint("http://", n), "http://nowhere", "a")
		}
		m.Group = append(m.Group, m.Group[0], m.Group[0])
		all[m.URL] = index(t, m)
	}
	got, err := all["http://0"].Translate(context.Background(), Request{System: "http://s", Code: "a"}, all)
	if err != nil || len(got) != 3 {
		t.Errorf("%v, %v", brief(got), err)
	}
	if _, err := all["http://0"].Translate(context.Background(), Request{System: "http://s", Code: "z"}, all); !errors.Is(err, ErrUnknownMap) {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		expression string
		spoil      func(*r4.ConceptMap)
	}{
		{"ConceptMap.group[0].element[0].target[1].equivalence", func(m *r4.ConceptMap) { m.Group[0].Element[0].Target[1].Equivalence = "same" }},
		{"ConceptMap.group[0].element[1].target[0].equivalence", func(m *r4.ConceptMap) { m.Group[0].Element[1].Target[0].Equivalence = "" }},
		{"ConceptMap.group[1].unmapped.mode", func(m *r4.ConceptMap) { m.Group[1].Unmapped.Mode = "guess" }},
		{"ConceptMap.group[1].unmapped.mode", func(m *r4.ConceptMap) { m.Group[1].Unmapped.Mode = "" }},
		{"ConceptMap.group[0].unmapped.code", func(m *r4.ConceptMap) { m.Group[0].Unmapped.Code = "" }},
		{"ConceptMap.group[1].unmapped.url", func(m *r4.ConceptMap) { m.Group[1].Unmapped.Mode = "other-map" }},
	} {
		r := small()
		c.spoil(r)
		_, err := New(r)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrInvalid) || e.Expression != c.expression {
			t.Errorf("%s: %v", c.expression, err)
		}
	}
}

func TestEquivalence(t *testing.T) {
	for _, e := range equivalences() {
		if !e.Known() || e.Inverse().Inverse() != e || e.Matches() != e.Inverse().Matches() {
			t.Errorf("%s", e)
		}
	}
	if Equivalence("source-is-broader-than-target").Known() {
		t.Error("a code of R5 is not known")
	}
}
