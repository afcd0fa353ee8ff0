package codesystem

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// DesignationDetail holds what SNOMED CT states about a description and FHIR R4 has no element
// for. All of it is optional.
type DesignationDetail struct {
	// ID identifies the designation, such as the identifier of a description.
	ID string
	// Inactive designations are only stored for questions about designations: Designations does not
	// yield them and text search does not find them.
	Inactive bool
	Module   string
	// EffectiveTime is a day: "20250101".
	EffectiveTime    string
	CaseSignificance string
	// Acceptability lists language reference sets, in any order.
	Acceptability []Acceptability
}

// Acceptability states that a designation is in a language reference set, as preferred or as
// acceptable.
type Acceptability struct {
	Refset    string
	Preferred bool
}

// DesignationKind holds what many designations have in common. A system has few kinds compared to
// its designations, so a query for certain designations looks at the kinds first.
type DesignationKind struct {
	Language         string
	Use              *r4.Coding
	Inactive         bool
	Module           string
	EffectiveTime    string
	CaseSignificance string
	Acceptability    []Acceptability // by reference set
}

// Section ids of the details of designations; absent when no designation has details.
const (
	secKindRows = 72 // []uint32, kindColumns per kind: use, inactive, and indexes into the lists of secKindTexts
	secKindText = 73 // JSON: kindTexts
)

// kindColumns is the number of columns of a kind: its index into secKinds, 1 if it is inactive,
// texts for module, effective time and case significance, acceptability.
const kindColumns = 6

// kindUse is the JSON of the (language, use) of kinds.
type kindUse struct {
	Language string     `json:"language,omitempty"`
	Use      *r4.Coding `json:"use,omitempty"`
}

// kindTexts is the JSON of the texts and lists that kinds refer to.
type kindTexts struct {
	Texts         []string                `json:"texts"`
	Acceptability [][]acceptabilityNumber `json:"acceptability"`
}

// acceptabilityNumber is the JSON of an Acceptability: the text of the reference set, and 1 if
// preferred.
type acceptabilityNumber [2]uint32

// kindTable numbers the kinds of designations in the order in which they occur.
type kindTable struct {
	kinds    []DesignationKind
	byKey    map[string]uint32
	key      []byte
	accepted []Acceptability
	detailed bool
}

func newKindTable() kindTable { return kindTable{byKey: map[string]uint32{}} }

// intern returns the number of the kind of a designation.
func (t *kindTable) intern(des *r4.Designation, detail *DesignationDetail) uint32 {
	t.accepted = append(t.accepted[:0], detail.Acceptability...)
	slices.SortFunc(t.accepted, func(a, b Acceptability) int { return cmp.Compare(a.Refset, b.Refset) })
	t.setKey(des, detail)
	if at, ok := t.byKey[string(t.key)]; ok {
		return at
	}
	kind := DesignationKind{
		Language: des.Language, Inactive: detail.Inactive, Module: detail.Module,
		EffectiveTime: detail.EffectiveTime, CaseSignificance: detail.CaseSignificance,
	}
	if len(t.accepted) > 0 {
		kind.Acceptability = slices.Clone(t.accepted)
	}
	if des.Use != nil {
		use := *des.Use
		kind.Use = &use
	}
	at := uint32(len(t.kinds))
	t.kinds = append(t.kinds, kind)
	t.byKey[string(t.key)] = at
	t.detailed = t.detailed || kind.detailed()
	return at
}

// setKey writes the key that distinguishes kinds.
func (t *kindTable) setKey(des *r4.Designation, detail *DesignationDetail) {
	key := appendCounted(append(t.key[:0], byte(flag(detail.Inactive))), des.Language)
	for _, s := range [...]string{detail.Module, detail.EffectiveTime, detail.CaseSignificance} {
		key = appendCounted(key, s)
	}
	key = append(key, byte(flag(des.Use != nil)))
	if u := des.Use; u != nil {
		for _, s := range [...]string{u.System, u.Version, u.Code, u.Display, selected(u.UserSelected)} {
			key = appendCounted(key, s)
		}
	}
	for _, a := range t.accepted {
		key = append(appendCounted(key, a.Refset), byte(flag(a.Preferred)))
	}
	t.key = key
}

// detailed reports whether a kind has more than a language and a use.
func (k *DesignationKind) detailed() bool {
	return k.Inactive || k.Module != "" || k.EffectiveTime != "" || k.CaseSignificance != "" || k.Acceptability != nil
}

// sections lays the kinds out: each (language, use) once, as JSON, and a row of numbers per kind
// if there are details.
func (t *kindTable) sections() ([]section, error) {
	var uses []kindUse
	texts := kindTexts{Texts: []string{}, Acceptability: [][]acceptabilityNumber{}}
	byText, byList, byUse := map[string]uint32{}, map[string]uint32{}, map[string]uint32{}
	text := func(s string) uint32 { return numberIn(byText, s, func() { texts.Texts = append(texts.Texts, s) }) }
	rows := make([]uint32, 0, kindColumns*len(t.kinds))
	for i := range t.kinds {
		k := &t.kinds[i]
		t.setKey(&r4.Designation{Language: k.Language, Use: k.Use}, &DesignationDetail{})
		use := numberIn(byUse, string(t.key), func() { uses = append(uses, kindUse{k.Language, k.Use}) })
		list := make([]acceptabilityNumber, len(k.Acceptability))
		t.key = t.key[:0]
		for i, a := range k.Acceptability {
			list[i] = acceptabilityNumber{text(a.Refset), flag(a.Preferred)}
			t.key = append(appendCounted(t.key, a.Refset), byte(flag(a.Preferred)))
		}
		accepted := numberIn(byList, string(t.key), func() { texts.Acceptability = append(texts.Acceptability, list) })
		rows = append(rows, use, flag(k.Inactive), text(k.Module), text(k.EffectiveTime), text(k.CaseSignificance), accepted)
	}
	table, err := json.Marshal(uses)
	if err != nil {
		return nil, fmt.Errorf("designation uses: %w", err)
	}
	sections := []section{{secKinds, table}}
	if !t.detailed {
		return sections, nil
	}
	if table, err = json.Marshal(texts); err != nil {
		return nil, fmt.Errorf("designation details: %w", err)
	}
	return append(sections, section{secKindRows, bytesOf(rows)}, section{secKindText, table}), nil
}

// numberIn returns the number of a key. A new key gets the next number, and add is called.
func numberIn(numbers map[string]uint32, key string, add func()) uint32 {
	at, ok := numbers[key]
	if !ok {
		at = uint32(len(numbers))
		numbers[key] = at
		add()
	}
	return at
}

// openKinds opens the kinds of designations.
func openKinds(in opener) ([]DesignationKind, error) {
	var uses []kindUse
	if err := json.Unmarshal(in.get(secKinds), &uses); err != nil {
		return nil, fmt.Errorf("%w: designation uses: %w", ErrDamaged, err)
	}
	raw := in.get(secKindRows)
	if raw == nil {
		kinds := make([]DesignationKind, len(uses))
		for i, u := range uses {
			kinds[i] = DesignationKind{Language: u.Language, Use: u.Use}
		}
		return kinds, nil
	}
	rows, err := numbersOf[uint32](raw)
	if err != nil {
		return nil, fmt.Errorf("designation details: %w", err)
	}
	var texts kindTexts
	if err := json.Unmarshal(in.get(secKindText), &texts); err != nil {
		return nil, fmt.Errorf("%w: designation details: %w", ErrDamaged, err)
	}
	lists, err := texts.lists()
	if err != nil {
		return nil, err
	}
	if len(rows)%kindColumns != 0 {
		return nil, fmt.Errorf("%w: designation details of %d numbers", ErrDamaged, len(rows))
	}
	kinds := make([]DesignationKind, len(rows)/kindColumns)
	limits := [kindColumns]int{len(uses), 2, len(texts.Texts), len(texts.Texts), len(texts.Texts), len(lists)}
	for i := range kinds {
		row := rows[kindColumns*i : kindColumns*(i+1)]
		for column, limit := range limits {
			if uint64(row[column]) >= uint64(limit) {
				return nil, fmt.Errorf("%w: designation detail %d of %d", ErrDamaged, row[column], limit)
			}
		}
		use := uses[row[0]]
		kinds[i] = DesignationKind{
			Language: use.Language, Use: use.Use, Inactive: row[1] == 1, Module: texts.Texts[row[2]],
			EffectiveTime: texts.Texts[row[3]], CaseSignificance: texts.Texts[row[4]], Acceptability: lists[row[5]],
		}
	}
	return kinds, nil
}

// lists decodes the lists of acceptability.
func (t *kindTexts) lists() ([][]Acceptability, error) {
	lists := make([][]Acceptability, len(t.Acceptability))
	for i, list := range t.Acceptability {
		for _, a := range list {
			if uint64(a[0]) >= uint64(len(t.Texts)) {
				return nil, fmt.Errorf("%w: language reference set %d of %d", ErrDamaged, a[0], len(t.Texts))
			}
			lists[i] = append(lists[i], Acceptability{Refset: t.Texts[a[0]], Preferred: a[1] == 1})
		}
	}
	return lists, nil
}

// DesignationKinds returns the kinds of the designations of this system, numbered from 0. The
// slice is shared.
func (x *Index) DesignationKinds() []DesignationKind { return x.designations.table }

// DesignationKindNumber returns the number of the kind of a designation.
func (x *Index) DesignationKindNumber(i uint32) uint32 { return x.designations.kinds[i] }

// DesignationKindOf returns the kind of the designation with a number (see DesignationRange). It
// is shared and must not be modified.
func (x *Index) DesignationKindOf(i uint32) *DesignationKind {
	return &x.designations.table[x.designations.kinds[i]]
}
