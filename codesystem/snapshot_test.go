package codesystem

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// sample builds a small system that has every section: several parents, properties,
// designations with and without use, definitions, flags.
func sample(t testing.TB, change func(h *r4.CodeSystem)) *Index {
	h := header("http://example.org/sample")
	h.Property = []r4.CodeSystemProperty{{Code: "weight", Type: "decimal"}}
	if change != nil {
		change(h)
	}
	b := NewBuilder(h)
	use := &r4.Coding{System: "http://example.org/use", Code: "synonym"}
	for _, c := range []Concept{
		{Code: "animal", Display: "Animal", Definition: "A living thing", Parent: -1},
		{Code: "bird", Display: "Bird", Parent: -1, Extensions: r4.Extensions{{URL: standardsStatus, Value: r4.Code("deprecated")}}, Properties: []Property{{Code: "parent", Value: r4.Code("animal")}}},
		{Code: "swimmer", Display: "Swimmer", Parent: -1, Properties: []Property{{Code: "parent", Value: r4.Code("animal")}, {Code: "notSelectable", Value: r4.Boolean(true)}}},
		{Code: "penguin", Display: "Penguin", Parent: -1, Properties: []Property{
			{Code: "parent", Value: r4.Code("bird")},
			{Code: "parent", Value: r4.Code("swimmer")},
			{Code: "weight", Value: r4.Value{Type: "Decimal", Text: "12.50"}},
			{Code: "food", Value: r4.String("fish")},
			{Code: "food", Value: r4.String("krill")},
		}, Designations: []r4.Designation{
			{Language: "de", Value: "Pinguin"}, {Language: "fr", Use: use, Value: "Manchot"}, {Use: use, Value: "Flightless bird", Extension: r4.Extensions{{URL: "http://example.org/rank", Value: r4.Code("low")}}},
		}},
		{Code: "10050001", Display: "Dodo", Parent: -1, Properties: []Property{{Code: "parent", Value: r4.Code("bird")}, {Code: "inactive", Value: r4.Boolean(true)}}},
		{Code: "a-code-of-more-than-eleven-bytes", Display: "Long", Parent: -1, Properties: []Property{{Code: "parent", Value: r4.Code("penguin")}, {Code: "status", Value: r4.Code("deprecated")}}},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	return build(t, b, nil)
}

// contents is everything that the accessors of an index return.
type contents struct {
	Header        *r4.CodeSystem
	Stats         Stats
	CaseSensitive bool
	Subsumptive   bool
	Hierarchical  bool
	Concepts      []conceptContents
	Sets          [][]uint32
	Refsets       map[string][]row
	JSON          string
}

type conceptContents struct {
	Code, Display, Definition      string
	Status                         string
	Extensions                     r4.Extensions
	Inactive, Abstract, Deprecated bool
	Designations                   []r4.Designation
	Details                        []described
	Attributes                     []Attribute
	Targets                        []Ord
	Properties                     []Property
	Parents, Children, Ancestors   []Ord
	Descendants                    []uint32
	Depth                          int
	End                            Ord
	Interval                       bool
	JSON                           string
	Found                          []Hit
	Filtered                       []uint32
}

// contentsOf calls every accessor on every concept.
func contentsOf(x *Index) contents {
	c := contents{
		Header: x.Header(), Stats: x.Stats(), CaseSensitive: x.CaseSensitive(), Subsumptive: x.Subsumptive(),
		Hierarchical: x.Hierarchical(),
	}
	for _, set := range x.sets {
		c.Sets = append(c.Sets, set().ToArray())
	}
	for o := range uint32(x.Len()) {
		code := x.Code(o)
		if got, ok := x.Find(code); ok && got != o {
			c.Sets = append(c.Sets, []uint32{o, got})
		}
		x.FindBytes([]byte(code + "x"))
		cc := conceptContents{
			Code: code, Display: x.Display(o), Definition: x.Definition(o),
			Status: x.Status(o), Extensions: x.Extensions(o),
			Inactive: x.Inactive(o), Abstract: x.Abstract(o), Deprecated: x.Deprecated(o),
			Designations: slices.Collect(x.Designations(o)), Properties: slices.Collect(x.Properties(o)),
			Parents: x.Parents(o), Children: x.Children(o), Ancestors: x.Ancestors(o),
			Descendants: x.Descendants(o).ToArray(), Depth: x.Depth(o), JSON: string(x.AppendConceptJSON(nil, o)),
		}
		cc.End, cc.Interval = x.Interval(o)
		readDetails(x, o, &cc)
		for a := range uint32(x.Len()) {
			x.IsAncestor(a, o)
		}
		cc.Found, _ = x.Search(CompileQuery(x.Display(o)), nil, 0, 10, nil)
		for _, f := range []r4.Filter{
			{Property: "concept", Op: "is-a", Value: code},
			{Property: "concept", Op: "generalizes", Value: code},
			{Property: "weight", Op: "=", Value: "12.50"},
			{Property: "food", Op: "exists", Value: "true"},
			{Property: "status", Op: "in", Value: "deprecated,retired"},
		} {
			if set, err := x.Filter(context.Background(), f); err == nil {
				cc.Filtered = append(cc.Filtered, set.ToArray()...)
			}
		}
		c.Concepts = append(c.Concepts, cc)
	}
	readRefsets(x, &c)
	var all bytes.Buffer
	if err := x.WriteJSON(&all); err != nil {
		c.JSON = err.Error()
	} else {
		c.JSON = all.String()
	}
	return c
}

// readDetails calls the accessors of what R4 has no element for.
func readDetails(x *Index, o Ord, cc *conceptContents) {
	first, end := x.DesignationRange(o)
	for i := first; i < end; i++ {
		k := x.DesignationKindOf(i)
		cc.Details = append(cc.Details, described{x.Designation(i), DesignationDetail{
			ID: x.DesignationID(i), Inactive: k.Inactive, Module: k.Module, EffectiveTime: k.EffectiveTime,
			CaseSignificance: k.CaseSignificance, Acceptability: k.Acceptability,
		}})
		x.DesignationID(i)
		x.DesignationOwner(i)
	}
	below := x.Descendants(o).Clone()
	below.Add(o)
	for a := range x.Attributes(o) {
		cc.Attributes = append(cc.Attributes, a)
		if target, ok := x.PairTarget(a.Pair); ok {
			cc.Targets = append(cc.Targets, target)
		}
		for _, set := range []*roaring.Bitmap{below, x.All()} {
			cc.Targets = append(cc.Targets, x.TargetsOf(a.Property, set).ToArray()...)
			if held, err := x.HoldersOf(context.Background(), a.Property, set); err == nil {
				cc.Targets = append(cc.Targets, held.ToArray()...)
			}
			if held, err := x.HoldersWithin(context.Background(), a.Property, set, below); err == nil {
				cc.Targets = append(cc.Targets, held.ToArray()...)
			}
		}
	}
}

// readRefsets calls the accessors of reference sets.
func readRefsets(x *Index, c *contents) {
	for _, code := range x.Refsets() {
		r, ok := x.Refset(code)
		if !ok {
			continue
		}
		if c.Refsets == nil {
			c.Refsets = map[string][]row{}
		}
		c.Refsets[r.Code()] = rowsOf(r, 0, r.Len())
		c.Sets = append(c.Sets, r.Members().ToArray())
		for o := range uint32(x.Len()) {
			first, end := r.RowsOf(o)
			c.Sets = append(c.Sets, []uint32{uint32(first), uint32(end)})
		}
	}
}

// A reopened index answers as the built one does, whatever way it is opened.
func TestReopened(t *testing.T) {
	for name, change := range map[string]func(*r4.CodeSystem){
		"sensitive":   nil,
		"insensitive": insensitive,
		"part-of":     func(h *r4.CodeSystem) { h.HierarchyMeaning = "part-of" },
		"detailed":    nil,
	} {
		x := sample(t, change)
		if name == "detailed" {
			x = detailed(t)
		}
		want := contentsOf(x)
		var file bytes.Buffer
		if n, err := x.WriteTo(&file); err != nil || n != int64(file.Len()) {
			t.Fatal(n, err)
		}
		path := filepath.Join(t.TempDir(), "snapshot")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		mapped, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		odd := append(make([]byte, 1), file.Bytes()...)
		misaligned, err := FromBytes(odd[1:], true)
		if err != nil {
			t.Fatal(err)
		}
		trusted, err := FromTrusted(x.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if &trusted.Bytes()[0] != &x.Bytes()[0] || uintptr(unsafe.Pointer(&misaligned.Bytes()[0]))%alignment != 0 {
			t.Errorf("%s: trusted bytes were copied, or misaligned ones were not", name)
		}
		for way, again := range map[string]*Index{"Open": mapped, "FromBytes": misaligned, "FromTrusted": trusted} {
			if diff := cmp.Diff(want, contentsOf(again)); diff != "" {
				t.Errorf("%s, %s: %s", name, way, diff)
			}
		}
	}
}

func TestReopenedShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes().Draw(t, "hierarchy")
		b, err := s.builder()
		x := build(t, b, err)
		again, err := FromBytes(slices.Clone(x.Bytes()), true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(contentsOf(x), contentsOf(again)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Equal sources have equal bytes.
func TestBuildIsDeterministic(t *testing.T) {
	if !bytes.Equal(sample(t, nil).Bytes(), sample(t, nil).Bytes()) || !bytes.Equal(detailed(t).Bytes(), detailed(t).Bytes()) {
		t.Error("two builds differ")
	}
}

// A flip of any byte is noticed.
func TestEveryByteIsChecked(t *testing.T) {
	whole := sample(t, nil).Bytes()
	for i := range whole {
		for _, bit := range []byte{1, 0x80, 0xFF} {
			bad := alignedBytes(len(whole))
			copy(bad, whole)
			bad[i] ^= bit
			_, err := FromBytes(bad, true)
			want := ErrDamaged
			switch {
			case i < 8:
				want = ErrForeign
			case i < 12:
				want = ErrSnapshotVersion
			}
			if !errors.Is(err, want) {
				t.Fatalf("byte %d ^ %#x: %v, want %v", i, bit, err, want)
			}
			if i%97 != 0 {
				continue
			}
			if err := Verify(bytes.NewReader(bad), 0, int64(len(bad))); !errors.Is(err, want) {
				t.Fatalf("Verify, byte %d: %v", i, err)
			}
		}
	}
}

func refused(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrForeign) || errors.Is(err, ErrSnapshotVersion)
}

func TestTruncatedAndForeign(t *testing.T) {
	whole := sample(t, nil).Bytes()
	for n := range whole {
		for _, data := range [][]byte{whole[:n], append(slices.Clone(whole[:n]), make([]byte, len(whole)-n+1)...)} {
			if _, err := FromBytes(data, true); !refused(err) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if err := Verify(bytes.NewReader(data), 0, int64(len(data))); !refused(err) {
				t.Fatalf("Verify %d bytes: %v", n, err)
			}
		}
	}
	dir := t.TempDir()
	for name, data := range map[string]string{"empty": "", "text": "{\"resourceType\":\"CodeSystem\"}"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := FromBytes(nil, true); !errors.Is(err, ErrForeign) {
		t.Errorf("nil: %v", err)
	}
}

// The header of a trusted snapshot is still checked.
func TestTrustedFrame(t *testing.T) {
	whole := sample(t, nil).Bytes()
	older := slices.Clone(whole)
	older[8] = layoutVersion - 1
	for name, row := range map[string]struct {
		data []byte
		want error
	}{
		"nothing": {nil, ErrForeign},
		"foreign": {[]byte(strings.Repeat("SQLite format 3", 40)), ErrForeign},
		"layout":  {edited(whole, 8), ErrSnapshotVersion},
		"length":  {whole[:len(whole)-8], ErrDamaged},
		"counts":  {edited(whole, 24), ErrDamaged},
		"older":   {older, ErrSnapshotVersion},
	} {
		if _, err := FromTrusted(row.data); !errors.Is(err, row.want) {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
}

// edited returns a copy with a bit of one byte changed.
func edited(whole []byte, at int) []byte {
	bad := slices.Clone(whole)
	bad[at] ^= 0x40
	return bad
}

// Blocks of the checksum are verified on their own: damage in any of them is found.
func TestChecksumOfManyBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 3*checkBlock+12345)
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	want := checksum(data)
	for range 50 {
		i := rnd.IntN(len(data))
		data[i] ^= 1
		if checksum(data) == want {
			t.Fatalf("byte %d", i)
		}
		data[i] ^= 1
	}
	if checksum(data) != want {
		t.Error("checksum changes")
	}
}

// hostile opens bytes with their frame made good (magic, layout version, length,
// checksum) and calls everything: no panic, whatever they hold.
func hostile(data []byte) error {
	if len(data) < snapshotHeaderSize {
		return ErrDamaged
	}
	moved := alignedBytes(len(data))
	copy(moved, data)
	copy(moved, magic)
	binary.LittleEndian.PutUint32(moved[8:], layoutVersion)
	binary.LittleEndian.PutUint64(moved[16:], uint64(len(moved)))
	seal(moved)
	x, err := FromBytes(moved, true)
	if err != nil {
		return err
	}
	if x.Len() < 1000 {
		contentsOf(x)
	}
	return nil
}

// victims are snapshots to damage: every section and every way to store a hierarchy.
func victims(t testing.TB) [][]byte {
	all := [][]byte{sample(t, nil).Bytes(), sample(t, insensitive).Bytes(), detailed(t).Bytes()}
	for _, s := range []shape{
		{parents: [][]int{}},
		{parents: [][]int{{}, {}, {}}},
		{parents: [][]int{{}, {0}, {1}, {1}, {0}}},
		{parents: [][]int{{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}},
	} {
		for _, budget := range []int{closurePerConcept, -1} {
			b, err := s.builder()
			if err != nil {
				t.Fatal(err)
			}
			b.closureBudget = budget
			all = append(all, build(t, b, nil).Bytes())
		}
	}
	return all
}

// edit changes a snapshot as a script of four bytes a step says: a place, what to do
// and a value.
func edit(whole, script []byte) []byte {
	bad := slices.Clone(whole)
	for ; len(script) >= 4; script = script[4:] {
		i := 16 + int(binary.LittleEndian.Uint16(script))%(len(bad)-16)
		word := bad[i&^3 : i&^3+4]
		switch script[2] % 5 {
		case 0:
			bad[i] = script[3]
		case 1:
			bad[i] ^= 1 << (script[3] % 8)
		case 2:
			binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)+uint32(int32(int8(script[3]))))
		case 3:
			binary.LittleEndian.PutUint32(word, uint32(int32(int8(script[3]))))
		default:
			copy(bad[i&^7:], bad[16+int(script[3])*8%(len(bad)-24):][:8])
		}
	}
	return bad
}

// Snapshots whose checksum fits a changed content are refused or answer something,
// but never go out of range.
func TestHostileSnapshots(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	rounds := 2_000
	if raceEnabled {
		rounds = 50
	}
	opened := 0
	for _, whole := range victims(t) {
		for range rounds {
			script := make([]byte, 4*(1+rnd.IntN(3)))
			for i := range script {
				script[i] = byte(rnd.Uint32())
			}
			if hostile(edit(whole, script)) == nil {
				opened++
			}
		}
	}
	if opened == 0 {
		t.Error("no changed snapshot was opened: the test tests nothing")
	}
}

// FuzzFromBytes opens arbitrary bytes in a good frame.
func FuzzFromBytes(f *testing.F) {
	for _, whole := range victims(f) {
		f.Add(whole)
	}
	f.Fuzz(func(_ *testing.T, data []byte) { _ = hostile(data) })
}

// FuzzEditedSnapshot opens snapshots with a few numbers changed.
func FuzzEditedSnapshot(f *testing.F) {
	all := victims(f)
	for i := range all {
		f.Add(byte(i), []byte{40, 0, 2, 1})
	}
	f.Fuzz(func(_ *testing.T, which byte, script []byte) {
		_ = hostile(edit(all[int(which)%len(all)], script))
	})
}

func ExampleBuilder() {
	b := NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/animals"}})
	animal, _ := b.Add(&Concept{Code: "animal", Display: "Animal", Parent: -1})
	_, _ = b.Add(&Concept{Code: "cat", Display: "Cat", Parent: animal})
	x, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	up, _ := x.Find("animal")
	down, _ := x.Find("cat")
	fmt.Println(x.Display(up), x.IsAncestor(up, down), x.Descendants(up))
	// Output: Animal true {1}
}

func insensitive(h *r4.CodeSystem) { h.CaseSensitive = new(false) }
