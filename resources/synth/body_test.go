package synth

import "testing"

// Patients grow plausibly: the height of children fits their age, nobody becomes shorter, adults
// keep their height, and the body mass index agrees with height and weight.
func TestSized(t *testing.T) {
	for number := range uint64(200) {
		d := draft{stream: newStream(number), inStory: true, number: number, g: &Generator{}}
		d.facts.born, d.facts.female = dayOf(1990, 6, 1), number%2 == 0
		last := 0
		for _, row := range []struct{ year, low, high int }{{1990, 480, 750}, {1995, 850, 1250}, {2007, 1450, 1960}, {2009, 1500, 1980}, {2020, 1500, 1980}} {
			at := dayOf(row.year, 12, 1).at(9, 0)
			height, ok := d.sized(measurementOf("body-height"), at)
			if !ok || height < row.low || height > row.high || height < last || row.year == 2020 && height != last {
				t.Errorf("%d in %d: %d mm, was %d", number, row.year, height, last)
			}
			last = height
			weight, _ := d.sized(measurementOf("body-weight"), at)
			index, _ := d.sized(measurementOf("body-mass-index"), at)
			if exact := weight * 1_000_000 / (height * height); index < exact*95/100 || index > exact*105/100+1 {
				t.Errorf("%d in %d: body mass index %d, is %d", number, row.year, index, exact)
			}
		}
	}
}

// The ranges of children are in order, and each child has the ranges of its age.
func TestYoung(t *testing.T) {
	for i, y := range childRanges {
		if measurementOf(y.code) == nil || y.min >= y.low || y.low >= y.high || y.high >= y.max {
			t.Errorf("%s below %d: unknown, or bounds out of order", y.code, y.belowAge)
		}
		if i > 0 && childRanges[i-1].code == y.code && childRanges[i-1].belowAge >= y.belowAge {
			t.Errorf("%s below %d comes after an older age", y.code, y.belowAge)
		}
		d := draft{inStory: true}
		d.facts.born = dayOf(2000, 1, 1)
		if m := d.measurement(y.code, dayOf(2000+y.belowAge, 1, 1).at(9, 0)-oneDay); m.low != y.low || m.high != y.high {
			t.Errorf("%s below %d: from %d to %d", y.code, y.belowAge, m.low, m.high)
		}
		if m := d.measurement(y.code, dayOf(2018, 1, 1).at(9, 0)); *m != *measurementOf(y.code) {
			t.Errorf("%s of an adult: %v", y.code, *m)
		}
	}
}
