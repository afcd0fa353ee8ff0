package codesystem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/r4"
)

// attributed is a system whose properties name concepts of it, some of them in groups.
type attributed struct {
	insensitive bool
	concepts    []Concept
}

func attributedSystems(most int) *rapid.Generator[attributed] {
	return rapid.Custom(func(t *rapid.T) attributed {
		s := attributed{insensitive: rapid.Bool().Draw(t, "insensitive")}
		n := rapid.IntRange(1, most).Draw(t, "concepts")
		code := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"c", "c", "c", "C", "no"}).Draw(t, "case") + fmt.Sprint(rapid.IntRange(0, n-1).Draw(t, "code"))
		})
		for i := range n {
			c := Concept{Code: fmt.Sprint("c", i), Parent: -1}
			if i > 0 {
				c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(fmt.Sprint("c", rapid.IntRange(0, i-1).Draw(t, "parent")))})
			}
			for range rapid.IntRange(0, 6).Draw(t, "properties") {
				p := Property{Code: rapid.SampledFrom([]string{"p0", "p1", "p2"}).Draw(t, "property"), Value: r4.Code(code.Draw(t, "value"))}
				switch rapid.IntRange(0, 9).Draw(t, "sort") {
				case 0:
					p.Value = r4.String(p.Value.Text)
				case 1:
					p.Value = r4.Value{Type: "Coding", Coding: &r4.Coding{Code: p.Value.Text, System: rapid.SampledFrom([]string{"", "http://example.org/a", "http://example.org/b"}).Draw(t, "system")}}
				}
				p.Group = rapid.SampledFrom([]int{0, 0, 0, 1, 2, maxGroup}).Draw(t, "group")
				c.Properties = append(c.Properties, p)
			}
			s.concepts = append(s.concepts, c)
		}
		return s
	})
}

// index builds the system and opens its snapshot again.
func (s *attributed) index(t rapid.TB) *Index {
	h := header("http://example.org/a")
	if s.insensitive {
		insensitive(h)
	}
	b := NewBuilder(h)
	for i := range s.concepts {
		if _, err := b.Add(&s.concepts[i]); err != nil {
			t.Fatal(err)
		}
	}
	x, err := FromBytes(slices.Clone(build(t, b, nil).Bytes()), true)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// names returns the concept that a value names.
func (s *attributed) names(x *Index, v r4.Value) (Ord, bool) {
	switch {
	case v.Type == "Code":
		return x.Find(v.Text)
	case v.Type == "Coding" && v.Coding.System != "http://example.org/b":
		return x.Find(v.Coding.Code)
	}
	return 0, false
}

// Queries about attributes return the same as a walk over the concepts.
func TestAttributeParity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := attributedSystems(30).Draw(t, "system")
		x := s.index(t)
		set := func(name string) *roaring.Bitmap {
			// Concepts that are not there may be asked about.
			return roaring.BitmapOf(rapid.SliceOfN(rapid.Uint32Range(0, uint32(x.Len())+70_000), 0, 3).Draw(t, name+" outside")...)
		}
		checkHeld(t, &s, x)
		for _, code := range x.PropertyNames() {
			prop, ok := x.PropertyNumber(code)
			if !ok || x.PropertyCode(prop) != code {
				t.Fatal(code)
			}
			for range 4 {
				targets, holders := set("targets"), set("holders")
				for _, o := range rapid.SliceOfN(rapid.Uint32Range(0, uint32(x.Len())-1), 0, 40).Draw(t, "targets") {
					targets.Add(o)
				}
				for _, o := range rapid.SliceOfN(rapid.Uint32Range(0, uint32(x.Len())-1), 0, 40).Draw(t, "holders") {
					holders.Add(o)
				}
				checkTargets(t, &s, x, prop, targets, holders)
			}
			all := roaring.New()
			all.AddRange(0, uint64(x.Len()))
			checkTargets(t, &s, x, prop, all, all)
			for o := range uint32(x.Len()) {
				below := x.Descendants(o).Clone()
				below.Add(o)
				checkTargets(t, &s, x, prop, below, below)
			}
		}
	})
}

// checkHeld compares the properties of each concept with those that were added.
func checkHeld(t rapid.TB, s *attributed, x *Index) {
	grouped := false
	for i := range s.concepts {
		o, _ := x.Find(s.concepts[i].Code)
		var want []Property
		for _, p := range s.concepts[i].Properties {
			if p.Code != "parent" {
				want = append(want, p)
				grouped = grouped || p.Group > 0
			}
		}
		if diff := cmp.Diff(want, slices.Collect(x.Properties(o))); diff != "" {
			t.Fatal(diff)
		}
		var read []Property
		for a := range x.Attributes(o) {
			if lo, hi := x.PairRange(a.Property); a.Pair < lo || a.Pair >= hi {
				t.Fatalf("pair %d of property %d", a.Pair, a.Property)
			}
			p := Property{Code: x.PropertyCode(a.Property), Value: x.PairValue(a.Pair), Group: a.Group}
			got, ok := x.PairTarget(a.Pair)
			if named, there := s.names(x, p.Value); ok != there || ok && got != named {
				t.Fatalf("%v names %d, %v; want %d, %v", p, got, ok, named, there)
			}
			read = append(read, p)
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Fatal(diff)
		}
	}
	if prop, ok := x.PropertyNumber("absent"); prop != 0 || ok {
		t.Fatalf("a property that is absent has the number %d, %v", prop, ok)
	}
	if x.Grouped() != grouped {
		t.Fatal("grouped", x.Grouped())
	}
}

// checkTargets compares HoldersOf, HoldersWithin, PairHolders and TargetsOf with a walk.
func checkTargets(t rapid.TB, s *attributed, x *Index, prop int, targets, holders *roaring.Bitmap) {
	t.Helper()
	ctx := context.Background()
	wantHolders, wantTargets, wantProperty := roaring.New(), roaring.New(), roaring.New()
	var pairs []uint32
	for i := range s.concepts {
		o, _ := x.Find(s.concepts[i].Code)
		for _, p := range s.concepts[i].Properties {
			if p.Code != x.PropertyCode(prop) {
				continue
			}
			wantProperty.Add(o)
			named, ok := s.names(x, p.Value)
			if ok && targets.Contains(named) {
				wantHolders.Add(o)
			}
			if ok && holders.Contains(o) {
				wantTargets.Add(named)
			}
		}
	}
	for pair, end := x.PairRange(prop); pair < end; pair++ {
		if o, ok := x.PairTarget(pair); ok && targets.Contains(o) {
			pairs = append(pairs, pair)
		}
	}
	before := targets.Clone()
	got, err := x.HoldersOf(ctx, prop, targets)
	if err != nil || !got.Equals(wantHolders) {
		t.Fatalf("holders of %v: %v, %v; want %v", targets, got, err, wantHolders)
	}
	if got, err = x.PairHolders(ctx, pairs); err != nil || !got.Equals(wantHolders) {
		t.Fatalf("holders of pairs of %v: %v, %v; want %v", targets, got, err, wantHolders)
	}
	if got, err = x.PropertyHolders(ctx, prop); err != nil || !got.Equals(wantProperty) {
		t.Fatalf("holders of the property: %v, %v; want %v", got, err, wantProperty)
	}
	wantHolders.And(holders)
	if got, err = x.HoldersWithin(ctx, prop, targets, holders); err != nil || !got.Equals(wantHolders) {
		t.Fatalf("holders of %v within %v: %v, %v; want %v", targets, holders, got, err, wantHolders)
	}
	if got := x.TargetsOf(prop, holders); !got.Equals(wantTargets) {
		t.Fatalf("targets of %v: %v; want %v", holders, got, wantTargets)
	}
	if !targets.Equals(before) {
		t.Fatal("the set asked about changed")
	}
}

// Larger systems take the ways that small ones do not.
func TestAttributesOfManyHolders(t *testing.T) {
	n := 20_000
	if raceEnabled {
		n = 5_000
	}
	s := attributed{}
	for i := range n {
		c := Concept{Code: fmt.Sprint("c", i), Parent: -1}
		if i > 0 {
			c.Properties = append(c.Properties, Property{Code: "parent", Value: r4.Code(fmt.Sprint("c", (i-1)/7))})
		}
		targets := []int{i % 3, i % 50, i * 7 % (n / 4), i * 31 % n}
		if i%97 == 0 {
			targets = []int{3000 + i%20}
		}
		for j, target := range targets {
			c.Properties = append(c.Properties, Property{Code: fmt.Sprint("p", i*j%2), Value: r4.Code(fmt.Sprint("c", target)), Group: j})
		}
		s.concepts = append(s.concepts, c)
	}
	x := s.index(t)
	all := x.All()
	spread := roaring.New()
	for o := uint32(0); o < uint32(n); o += 3 {
		spread.Add(o)
	}
	some := roaring.BitmapOf(3, 5, 77, 4000, uint32(n-1))
	most := all.Clone()
	most.RemoveRange(100, 140)
	few := all.Clone() // without some that nothing else of their holders is beside
	for i := range 20 {
		o, _ := x.Find(fmt.Sprint("c", 3000+i))
		few.Remove(o)
	}
	sets := []*roaring.Bitmap{all, spread, some, most, few}
	for _, code := range []string{"c0", "c1", "c10", "c400", "c3000"} {
		o, _ := x.Find(code)
		below := x.Descendants(o).Clone()
		below.Add(o)
		sets = append(sets, below)
	}
	often, _ := x.Find("c1")
	for prop := range 2 {
		times := map[string]int{}
		for i := range s.concepts {
			for _, p := range s.concepts[i].Properties {
				if p.Code == x.PropertyCode(prop) {
					times[p.Value.Text]++
				}
			}
		}
		once := uint32(0)
		for times[x.Code(once)] != 1 {
			once++
		}
		others := all.Clone()
		others.Remove(often)
		checkTargets(t, &s, x, prop, roaring.BitmapOf(often, once), some)
		checkTargets(t, &s, x, prop, others, some)
		for i, targets := range sets {
			checkTargets(t, &s, x, prop, targets, sets[(i+prop)%len(sets)])
			checkTargets(t, &s, x, prop, targets, some)
			for looks, seen := 0, true; seen; looks++ {
				ctx := contexttest.After(t.Context(), looks)
				_, err := x.HoldersOf(ctx, prop, targets)
				if seen = ctx.Seen(); seen != errors.Is(err, context.Canceled) {
					t.Fatalf("holders, stopped at look %d: %v", looks, err)
				}
			}
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.HoldersOf(cancelled, 0, all); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if a := testing.AllocsPerRun(100, func() {
		for a := range x.Attributes(77) {
			x.PairTarget(a.Pair)
		}
	}); a > 0 {
		t.Errorf("%v allocations", a)
	}
}

func TestGroupsOutOfRange(t *testing.T) {
	for _, group := range []int{-1, maxGroup + 1} {
		b := NewBuilder(nil)
		_, err := b.Add(&Concept{Code: "a", Parent: -1, Properties: []Property{{Code: "p", Value: r4.Code("a"), Group: group}}})
		if want := fmt.Sprintf(`concept "a": property value does not fit its declared type: property "p" in group %d, the highest is 65535`, group); err == nil || err.Error() != want || !errors.Is(err, ErrBadProperty) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A header that comes late takes properties out of the middle: groups stay with theirs.
func TestGroupsAndLateHeader(t *testing.T) {
	b := NewBuilder(nil)
	for _, c := range []Concept{
		{Code: "a", Parent: -1},
		{Code: "b", Parent: -1, Properties: []Property{
			{Code: "p", Value: r4.Code("a"), Group: 1}, {Code: "up", Value: r4.Code("a"), Group: 2}, {Code: "q", Value: r4.Code("a"), Group: 3},
		}},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	h := header("http://example.org/s")
	h.Property = []r4.CodeSystemProperty{{Code: "up", URI: conceptProperties + "parent", Type: "code"}}
	b.SetHeader(h)
	x := build(t, b, nil)
	want := []Property{{Code: "p", Value: r4.Code("a"), Group: 1}, {Code: "q", Value: r4.Code("a"), Group: 3}}
	if diff := cmp.Diff(want, slices.Collect(x.Properties(1))); diff != "" {
		t.Error(diff)
	}
}
