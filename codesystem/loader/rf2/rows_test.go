package rf2

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rf2/internal/checkdigit"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
)

// TestNames: the facts in the names of files.
func TestNames(t *testing.T) {
	for name, want := range map[string]fileName{
		"sct2_Concept_Snapshot_INT_20250101.txt":                              {kind: concepts, release: snapshot},
		"sct2_Concept_MONOFull_GB_20240410.txt":                               {kind: concepts, release: full},
		"xsct2_Description_Delta-en_US1000124_20250301.txt":                   {kind: descriptions, release: delta, unpublished: true},
		"sct2_TextDefinition_Snapshot-sv_SE1000052_20241130.txt":              {kind: descriptions},
		"sct2_Relationship_Full_INT_20250101.txt":                             {kind: relationships, release: full},
		"sct2_RelationshipConcreteValues_Delta_INT_20250101.txt":              {kind: concreteValues, release: delta},
		"der2_cRefset_LanguageSnapshot-en-US_INT_20250101.txt":                {kind: languageRefset, letters: "c"},
		"der2_Refset_SimpleFull_INT_20250101.txt":                             {kind: refset, release: full},
		"xder2_iisssccRefset_ExtendedMapSnapshot_INT_20250101.txt":            {kind: refset, letters: "iissscc", unpublished: true},
		"der2_ssRefset_ModuleDependencySnapshot_INT_20250101.txt":             {kind: moduleDependencies, letters: "ss"},
		"sct2_sRefset_OWLExpressionSnapshot_INT_20250101.txt":                 {},
		"sct2_StatedRelationship_Snapshot_INT_20250101.txt":                   {},
		"sct2_Identifier_Snapshot_INT_20250101.txt":                           {},
		"sct2_Concept_Snapshot_INT_20250101.csv":                              {},
		"sct2_Concept_INT_20250101.txt":                                       {},
		"sct2_Concept.txt":                                                    {},
		"Readme_en_20250101.txt":                                              {},
		"x.txt":                                                               {},
		".txt":                                                                {},
		"doc_Icd10MapTechnicalGuideExemplars_Current-en-US_INT_20250101.xlsx": {},
	} {
		got, ok := parseName(name)
		if ok != (want.kind != 0) || ok && got != want {
			t.Errorf("%s: %+v %v, want %+v", name, got, ok, want)
		}
	}
	for name, want := range map[string]string{
		"Snapshot/Terminology/x.txt": ".", "A/Full/Refset/Map/x.txt": "A", "A/b/DELTA/x.txt": "A/b", "x.txt": "", "Refset/x.txt": "",
	} {
		if got := packageOf(name); got != want {
			t.Errorf("package of %s: %q, want %q", name, got, want)
		}
	}
}

// TestVerhoeff: identifiers of the standard, and any wrong digit or exchange of neighbours.
func TestVerhoeff(t *testing.T) {
	for _, id := range []string{"138875005", "116680003", "900000000000003001", "731000124108", "32506021000036107"} {
		if !checkdigit.Verhoeff([]byte(id)) {
			t.Errorf("%s: refused", id)
		}
		for i := range id {
			for d := byte('0'); d <= '9'; d++ {
				other := []byte(id)
				if other[i] = d; d != id[i] && checkdigit.Verhoeff(other) {
					t.Errorf("%s: accepted", other)
				}
			}
			if other := []byte(id); i > 0 && other[i] != other[i-1] {
				other[i], other[i-1] = other[i-1], other[i]
				if checkdigit.Verhoeff(other) {
					t.Errorf("%s: accepted", other)
				}
			}
		}
	}
	for id := range editionModules() {
		if !checkdigit.Verhoeff([]byte(id.String())) || id.String()[len(id.String())-2] != '0' {
			t.Errorf("edition module %d is no identifier of a concept", id)
		}
	}
}

// TestTexts: texts of all sizes come back, over the borders of blocks.
func TestTexts(t *testing.T) {
	var s texts
	var want []string
	var at []text
	for i := range 3000 {
		want = append(want, strings.Repeat(fmt.Sprint(i%10), i*i%4001))
		at = append(at, s.add([]byte(want[i])))
	}
	long := strings.Repeat("x", textBlock-1)
	want, at = append(want, long), append(at, s.add([]byte(long)))
	for i := range want {
		if s.at(at[i]) != want[i] {
			t.Fatalf("text %d of %d bytes differs", i, len(want[i]))
		}
	}
}

// TestFields: values at the bounds of what a field may be, and beyond.
func TestFields(t *testing.T) {
	const member = "01234567-89ab-cdef-ABCD-EFabcdef0123"
	read := map[string]func(*rows) any{
		"id": func(r *rows) any { return r.id(0) }, "concept": func(r *rows) any { return r.ownID(0, conceptID, false) }, "description": func(r *rows) any { return r.ownID(0, descriptionID, false) },
		"member": func(r *rows) any { return fmt.Sprintf("%x", r.member(0)) }, "date": func(r *rows) any { return r.date(0) }, "flag": func(r *rows) any { return r.flag(0) },
		"number": func(r *rows) any { return r.number(0, 100) }, "language": func(r *rows) any { return string(r.language(0)) },
	}
	check := func(kind, field string, want string) { // want "": refused
		t.Helper()
		r := &rows{fields: [][]byte{[]byte(field)}, columns: []string{"column"}}
		if got := fmt.Sprint(read[kind](r)); (r.err == nil) != (want != "") || r.err == nil && got != want {
			t.Errorf("%s %q: %s, %v, want %q", kind, field, got, r.err, want)
		}
	}
	identifier := strings.ReplaceAll(member, "-", "")
	check("member", member, strings.ToLower(identifier))
	for _, other := range []string{member + "0", member[1:], identifier} {
		check("member", other, "")
	}
	for i := range member {
		for _, c := range []byte("/:@G`g") {
			check("member", member[:i]+string(c)+member[i+1:], "")
		}
		if member[i] == '-' {
			check("member", member[:i]+"0"+member[i+1:], "")
		}
	}
	for kind, fields := range map[string]string{ // refused begin with !
		"id":          "100000 999999999999999999 !1000000000000000000 !99999 !012345 !12345: !12345/",
		"concept":     "138875005 !138875006 900000000000003001 !" + rf2test.Description(1) + " !" + rf2test.Identifier(100_000, "20") + " " + rf2test.Identifier(100_000, "10"),
		"description": rf2test.Description(1) + " !138875005",
		"date":        "19000101 !18991231 20241231 !20240132 !20240100 !20241301 !20240001 !2024123 !202412310 !2024123: !2024123/ !20241231U000000Z !20241231T0000000Z",
		"flag":        "!2 !/ !00 !",
		"number":      "0 1 99 !100 !0000000099 !9: !9/ !",
		"language":    "en zz-ZZ-09 !e !en_US !en@ !en[ !en` !en{ !en/ !en: !en. " + strings.Repeat("a", 35) + " !" + strings.Repeat("a", 36),
	} {
		for _, field := range strings.Split(fields, " ") {
			if refused, ok := strings.CutPrefix(field, "!"); ok {
				check(kind, refused, "")
			} else {
				check(kind, field, field)
			}
		}
	}
	check("date", "20241231T000000Z", "20241231")
	check("number", "000000099", "99")
	check("flag", "0", "false")
	check("flag", "1", "true")
}

// TestKindsOfDescriptions: as many types, languages and kinds of case significance as can be numbered, and
// one more.
func TestKindsOfDescriptions(t *testing.T) {
	for column, most := range map[int]int{0: 1000, 1: 255, 3: 255} {
		for more := range 2 {
			h := international()
			n := most + more - map[int]int{0: 1, 1: 3, 3: 1}[column] // those of the other descriptions
			for i := range n {
				values := []string{"en", typeName, "Term", noCase}
				other := rf2test.Concept(1000 + i)
				h.Add("concept", other, "20240131", true, core, primitive)
				if values[column] = other; column == 0 {
					values[column] = fmt.Sprint("x-", i)
				}
				h.Add("description", rf2test.Description(5000+i), "20240131", true, core, append([]string{root}, values...)...)
			}
			err := Load(t.Context(), []string{h.Folder(t, rf2test.Snapshot, "20240131", "")}, Options{}, &collector{})
			if more == 0 && err != nil || more == 1 && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "too many different")) {
				t.Errorf("column %d, %d values: %v", column, n, err)
			}
		}
	}
}

// FuzzRows: no bytes make the reader of rows panic, and the rows are the same if the bytes come one
// by one. A row has as many fields as there are columns, without tabs and line feeds.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{
		"id\teffectiveTime\r\n100005\t20250101\r\n", "\ufeffID\teffectivetime\n100005\t20250101\t\t\n\n\n", "id\teffectiveTime\n\nx\ty",
		"id\teffectiveTime\na\n", "id\teffectiveTime\na\tb\tc\n", "", "\n", "id\t\n", "id\teffectiveTime\n" + strings.Repeat("x", 5000) + "\ty\n",
	} {
		f.Add([]byte(seed))
	}
	read := func(data []byte, slow bool) (list []string, err error) {
		in := bytes.NewReader(data)
		r := openRows(in, loader.Origin{Path: "f"}, 10, []string{"id", "effectiveTime"}, 0)
		if slow {
			r = openRows(iotest.OneByteReader(bytes.NewReader(data)), loader.Origin{Path: "f"}, 10, []string{"id", "effectiveTime"}, 0)
		}
		for r.next() {
			if len(r.fields) != 2 {
				return list, fmt.Errorf("%d fields", len(r.fields))
			}
			if bytes.ContainsAny(r.fields[0], "\t\n") || bytes.ContainsAny(r.fields[1], "\t\n") {
				return list, fmt.Errorf("fields %q", r.fields)
			}
			list = append(list, fmt.Sprintf("%d %q", r.line, r.fields))
			r.id(0)
			r.date(1)
			if r.err != nil {
				list = append(list, r.err.Error())
				r.err = nil
			}
			r.member(0)
			r.flag(1)
			r.number(0, 100)
			r.language(1)
			r.text(1)
			r.err = nil
			if got, want := string(r.values(0)), string(r.fields[0])+"\t"+string(r.fields[1]); got != want {
				return list, fmt.Errorf("values %q, want %q", got, want)
			}
		}
		return list, r.err
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fast, err := read(data, false)
		slow, slowErr := read(data, true)
		if !slices.Equal(fast, slow) || (err == nil) != (slowErr == nil) {
			t.Fatalf("at once: %v %v\nbyte by byte: %v %v", fast, err, slow, slowErr)
		}
		if err != nil && !strings.Contains(err.Error(), "f: line ") {
			t.Fatal(err)
		}
	})
}

// FuzzFiles: whatever is in a file of any kind, what comes of it is an error or an index
// that opens.
func FuzzFiles(f *testing.F) {
	h := international()
	h.Add("value", rf2test.Relationship(7000), "20240131", true, core, root, "#5.5", "1", isA.String(), inferred, some)
	h.Add("association", rf2test.Member(7001), "20240131", true, core, replacedBy, root, core)
	h.Add("map", rf2test.Member(7003), "20240131", true, core, rf2test.Concept(113), root, "1", "2", "TRUE", "ALWAYS", "S02", core, model)
	var names []fileName
	var parts []string // of the names, in their order
	for name, data := range h.At(rf2test.Full, "20240131", "").Files(rf2test.Full, "20240131") {
		parts = append(parts, name+"\n"+data)
	}
	slices.Sort(parts)
	for i, part := range parts {
		name, data, _ := strings.Cut(part, "\n")
		n, ok := parseName(name[strings.LastIndexByte(name, '/')+1:])
		if !ok {
			f.Fatal(name)
		}
		names, parts[i] = append(names, n), data
		f.Add(uint8(i), []byte(data))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		i := int(which) % len(names)
		r := loader.Begin(t.Context(), loader.Options{})
		defer r.Close()
		e, err := newEdition(r, func(error) {}, &Options{LaxDependencies: true})
		if err != nil {
			t.Fatal(err)
		}
		e.concepts.init()
		e.dependencies.init()
		e.descriptions.init(false)
		e.acceptability.init(false)
		e.relationships.init(false)
		e.refsets.init(false)
		reads := map[kind]func(*edition, *source, *rows){
			concepts: e.concepts.read, descriptions: e.descriptions.read, relationships: e.relationships.read, concreteValues: e.relationships.read,
			languageRefset: e.acceptability.read, moduleDependencies: e.dependencies.read, refset: e.refsets.read,
		}
		for _, k := range []kind{moduleDependencies, concepts, descriptions, relationships, concreteValues, languageRefset, refset} {
			for j, n := range names {
				if n.kind != k {
					continue
				}
				text := []byte(parts[j])
				if i == j {
					text = data
				}
				known, further := n.columns()
				in := openRows(bytes.NewReader(text), loader.Origin{Path: "f"}, int64(len(text)), known, further)
				if in.err == nil {
					reads[k](e, &source{fileName: n}, in)
				}
				if in.err != nil {
					return
				}
			}
		}
		if len(e.concepts.rows) == 0 {
			return
		}
		b, err := e.builder()
		if err != nil {
			return
		}
		x, err := b.Build(t.Context())
		if err != nil {
			return
		}
		if _, err := codesystem.FromBytes(x.Bytes(), true); err != nil {
			t.Fatal(err)
		}
	})
}
