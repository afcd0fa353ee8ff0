package codesystem

import (
	"fmt"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

func TestCandidates(t *testing.T) {
	x := flatIn(t, "en", conceptsOf([]string{
		"Fracture of neck of femur", "Closed fracture of neck of left femur", "Fracture of skull", "Fracture of left humerus", "Neck pain", "Asthma",
	}))
	all := roaring.New()
	all.AddRange(0, 3)
	for _, tt := range []struct {
		text   string
		within *roaring.Bitmap
		want   string // the best: display, then the words with their likeness
	}{
		{"fracture of left femur neck, closed", nil, "Closed fracture of neck of left femur: fracture whole, of whole, left whole, femur whole, neck whole, closed whole"},
		{"fractures of the femur necc", nil, "Fracture of neck of femur: fractures other ending, of whole, the absent, femur whole, necc absent"},
		{"ashtma bronch", nil, "Asthma: ashtma misspelt, bronch absent"},
		{"asth", nil, "Asthma: asth beginning"},
		{"left asthma", all, "Closed fracture of neck of left femur: left whole, asthma absent"},
		{"xyzzy", nil, ""},
		{"", nil, ""},
	} {
		got := ""
		if list := x.Candidates(tt.text, tt.within, 3); len(list) > 0 {
			var words []string
			for _, w := range list[0].Words {
				words = append(words, fmt.Sprint(w.Word, " ", w.Likeness))
			}
			got = list[0].Text + ": " + strings.Join(words, ", ")
			for i, c := range list {
				if c.Score <= 0 || c.Score > 1 || i > 0 && c.Score > list[i-1].Score {
					t.Errorf("%q: scores %+v, want from 1 down", tt.text, list)
				}
			}
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}
