package codesystem

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The bytes of a snapshot change only on purpose, and layoutVersion rises with what would be misread.
func TestLayoutIsPinned(t *testing.T) {
	h := sha256.New()
	for _, whole := range victims(t) {
		h.Write(whole[16:])
	}
	if got, want := fmt.Sprintf("%d %.8x", layoutVersion, h.Sum(nil)), "4 bf0c83fad32b5548"; got != want {
		t.Errorf("layout %s, want %s", got, want)
	}
}

// Damage to any section is refused, but for the following.
func TestSectionsAreChecked(t *testing.T) {
	want := map[uint32]string{
		// Texts, counts of edges, slots of hashes, and sets, which are checked when used.
		secInfo: "high", secTable: "first high", secCodes: "first high", secDefinitions: "first high", secDesValues: "first high",
		secExtensions: "first high", secDisplays: "first high", secPairValues: "first high", secTokens: "first high",
		secDesIDTextBytes: "first high", secRefsetTexts: "first high", secSpreadSets: "odd first high", secRefsetSets: "odd first high",
		// What may be absent.
		secDefOffsets: "gone", secDesCounts: "gone", secExtOwners: "gone", secPropNames: "gone", secHeldGroups: "gone empty first high",
		secPairTargets: "gone", secDesIDs: "gone first", secRefsets: "gone",
		// Room to spare, and what only ranks.
		secSetOrds: "long", secWordLows: "long", secRefsetColumns: "long", secRefsetLists: "long first", secRefsetCells: "odd long high",
		secWordTotals: "high", secTextSources: "first high", secTextKeys: "long short high", secCodeLengths: "first high",
	}
	number := binary.LittleEndian
	ofConcepts := []uint32{
		secParents, secChildren, secAncestors, secSpreadOrds, secSetRefs, secSetOrds, secTextOwners, secCodeOrder, secPairTargets,
		secTargetOrds, secTargetHolders, secRefsetComponents,
	}
	var concepts int
	damages := []struct {
		name string
		do   func(data []byte) []byte
	}{
		{"gone", func([]byte) []byte { return nil }},
		{"empty", func([]byte) []byte { return []byte{} }},
		{"odd", func(data []byte) []byte { return append(data, 0) }},
		{"long", func(data []byte) []byte { return append(data, data[len(data)-8:]...) }},
		{"short", func(data []byte) []byte { return data[:len(data)-8] }},
		{"first", func(data []byte) []byte { number.PutUint32(data, 1<<31+77); return data }},
		{"count", func(data []byte) []byte { number.PutUint32(data[len(data)-4:], uint32(concepts)); return data }},
		{"high", func(data []byte) []byte { number.PutUint32(data[len(data)-4:], 1<<31+77); return data }},
		{"swapped", func(data []byte) []byte { return slices.Concat(data[len(data)-4:], data[4:len(data)-4], data[:4]) }}, // in sorted ones
	}
	accepted := map[uint32]string{}
	for _, whole := range victims(t) {
		toc, err := readContents(whole)
		if err != nil {
			t.Fatal(err)
		}
		concepts = len(toc[secCodeOffsets])/4 - 1
		for damaged := range toc {
			for _, d := range damages {
				if len(toc[damaged]) < 8 || d.name == "count" && !slices.Contains(ofConcepts, uint32(damaged)) || d.name == "swapped" && damaged != secExtOwners && damaged != secRefsetComponents {
					continue
				}
				var sections []section
				for id, data := range toc {
					if data = slices.Clone(data); id == damaged {
						data = d.do(data)
					}
					if data != nil {
						sections = append(sections, section{uint32(id), data})
					}
				}
				bad, err := assemble(sections)
				if err != nil {
					t.Fatal(err)
				}
				id := uint32(damaged)
				if _, err := FromBytes(bad, true); err == nil && !slices.Contains(strings.Fields(accepted[id]), d.name) {
					accepted[id] = strings.TrimSpace(accepted[id] + " " + d.name)
				} else if err != nil && !errors.Is(err, ErrDamaged) {
					t.Errorf("section %d, %s: %v", damaged, d.name, err)
				}
			}
		}
	}
	if diff := cmp.Diff(want, accepted); diff != "" {
		t.Error(diff)
	}
}
