package codesystem

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/sharedtest"
)

// Country names are found in sixteen languages, however they are typed.
func TestSearchLanguages(t *testing.T) {
	x, err := readSource(openSource(t, sharedtest.Path(t, "data/iso-codes/CodeSystem-iso-3166-1.json.gz")))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, first string }{
		{"Österreich", "AT"},
		{"osterreich", "AT"},
		{"ÖSTERREICH rep", "AT"},
		{"republique autriche", "AT"},
		{"АВСТРИЯ", "AT"},
		{"النمسا", "AT"},
		{"النّمسا", "AT"},
		{"オーストリア", "AT"},
		{"奥地利", "AT"},
		{"오스트리아", "AT"},
		{"오스트맆", ""},
		{"cote d'ivoire", "CI"},
		{"ivoire", "CI"},
		{"Кот-д’Ивуар", "CI"},
		{"marfil", "CI"},
		{"cong hoa cot", "CI"},
		{"turkiye", "TR"},
		{"TÜRKİYE", "TR"},
		{"土耳其", "TR"},
		{"at", "AT"},
		{"ci", "CI"},
	} {
		hits, total := x.Search(CompileQuery(test.text), nil, 0, 1, nil)
		got := ""
		if len(hits) > 0 {
			got = x.Code(hits[0].Concept)
		}
		if got != test.first {
			t.Errorf("%q: %q of %d, want %q", test.text, got, total, test.first)
		}
	}
}

// On real texts, merging sets finds what looking at every text finds.
func TestSearchParityShared(t *testing.T) {
	x, err := readSource(openSource(t, sharedtest.Path(t, "data/hpo/CodeSystem-hpo.json.gz")))
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	queries := []string{"abn", "of the", "hp:000", "a", "1"}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		words := strings.Fields(x.Display(uint32(rnd.IntN(x.Len()))))
		w := words[rnd.IntN(len(words))]
		queries = append(queries, w, w[:min(3, len(w))], words[0]+" "+w)
	}
	for _, text := range queries {
		q := CompileQuery(text)
		want, total := x.search(q, nil, 0, 100, nil, byScoring)
		for _, way := range []int{byCost, byMerging, byRarest} {
			if got, n := x.search(q, nil, 0, 100, nil, way); n != total || !slices.Equal(got, want) {
				t.Errorf("%q way %d: %d hits of %d, want %d of %d", text, way, len(got), n, len(want), total)
			}
		}
		if total == 0 {
			t.Errorf("%q: nothing", text)
		}
	}
}
