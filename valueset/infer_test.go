package valueset

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/roget-health/roget/resources/r4"
)

// TestInferOften: the first calls of Infer, which read all codes, and later ones, which use an index,
// return the same entries in the same order.
func TestInferOften(t *testing.T) {
	var compose r4.Compose
	for s := range 4 {
		inc := r4.Include{System: fmt.Sprint("http://none/", s), Version: fmt.Sprint(s % 2)}
		for i := range 50 {
			inc.Concept = append(inc.Concept, r4.ConceptReference{Code: fmt.Sprint(i * (s + 1)), Display: fmt.Sprint(s, " ", i)})
		}
		compose.Include = append(compose.Include, inc)
	}
	compose.Include = append(compose.Include, r4.Include{System: "http://none/0", Version: "9", Concept: refs("0", "12")})
	set := compile(t, &world{}, valueSet("", compose))
	var want [][]Entry
	for call := range 2 * fewInfers {
		for i, code := range []string{"0", "12", "49", "98", "147", "x", ""} {
			again := compile(t, &world{}, valueSet("", compose)).Infer(code)
			if call == 0 {
				want = append(want, again)
			}
			if diff := cmp.Diff(want[i], set.Infer(code), cmpopts.IgnoreUnexported(Entry{})); diff != "" {
				t.Errorf("call %d, code %q (-want +got):\n%s", call, code, diff)
			}
		}
	}
	if len(want[0]) != 5 || len(want[1]) != 5 || len(want[5]) != 0 {
		t.Errorf("%d, %d and %d entries", len(want[0]), len(want[1]), len(want[5]))
	}
}
