package ecl

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
)

// TestSpecificationExamples parses examples of the specification's sections 6.1 to 6.12
// and their like, without terms.
func TestSpecificationExamples(t *testing.T) {
	for _, text := range strings.Split(strings.TrimSpace(specificationExamples), "\n") {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := Parse(e.String()); err != nil || again.String() != e.String() {
			t.Errorf("%s: its form %s: %v", text, e, err)
		}
	}
}

const specificationExamples = `
^ [referencedComponentId] 700043003 |Example problem list|
^ [targetComponentId] 734138000
^ [referencedComponentId, mapTarget] 816210007
 ^[*] 447562003 |ICD-10 complex map|
memberOf [ANY] 447562003
*: 246075003 |Causative agent| = 387517004 |Paracetamol|
ANY : 246075003 = 387517004
<< 404684003: << 47429007 = << 267038008
<< 404684003: >>42752001 = << 267038008
< 763158003: 411116001 = << 385268001, { << 127489000 = << 372687004, 1142135004 >= #250, 1142135004 <= #800, 732945000 = 258684004 }
< 373873005: 3460481009 = "PANADOL"
< 373873005: 859999999102 = TRUE
< 91723000: R 363698007 = < 125605004
descendantOf 91723000: reverseOf 363698007 = descendantOf 125605004
< 105590001: ReverseOf descendantOrSelfOf 127489000 = descendantOf 27658006
< 91723000 AND (< 125605004 . 363698007)
< 19829001 . < 47429007 . 363698007
((< 19829001) . < 47429007) . 363698007
< 404684003: ANY = 79654002
< 404684003: [1 to many] { [1 to *] 127489000 = < 105590001 }
< 404684003: [0..0] { [2..*] 363698007 = < 91723000 }
< 105590001: [3..3] R 127489000 = *
< 404684003: [0..0] 116676008 != << 26036001 and [1..*] 116676008 = << 26036001
< 404684003: 116676008 = ((<< 56208002 AND << 50960005) MINUS << 26036001)
descendantOf 404684003: 116676008 NOT = descendantOrSelfOf 26036001
<< 19829001 MINUS ^ 700043003
(<< 19829001 AND << 301867009) MINUS ^ 700043003
<404684003: (363698007 = <<39057004 AND 116676008 = <<415582006) OR 42752001 = <<445238008
<404684003: {363698007 = <<39057004, 116676008 = <<415582006} OR {363698007 = <<53085002, 116676008 = <<56246009}
<404684003: 47429007 = (<<267038008 OR ^700043003)
^ (< 450973005)
(<< 404684003: 47429007 = << 267038008): 363698007 = *
<404684003: (<<47429007 MINUS 42752001) = *
< 64572001 {{ term = "heart att"}}
< 64572001 {{ term = "heart", term = "att"}}
< 64572001 {{ term = match:"heart att"}}
< 64572001 {{ term = ("heart" "card")}}
< 64572001 {{ term = wild:"cardi*opathy"}}
< 64572001 {{ term = (match:"gas" wild:"*itis")}}
< 64572001 {{ term = "eye"}} {{ term = wild:"*itis"}}
< 64572001 {{ term = "hjärt", language = sv }} {{ term = "heart", language = en }}
< 56265001 {{ term = "hjärt", language = SV, type = syn }}
< 56265001 {{ term = "heart", type = (syn fsn) }}
< 56265001 {{ term = "heart", typeId = ( 900000000000013009 |Synonym| 900000000000003001 |FSN| ) }}
< 64572001 {{ dialectId = 32570271000036106 |Australian English| }}
< 64572001 {{ term = "card", dialect = ( en-nhs-clinical en-nhs-pharmacy ) }}
< 64572001 {{ term = "box", typeId = 900000000000013009 , dialect = en-us ( 900000000000548007 |Preferred| ) }}
< 64572001 {{ term = "box", type = syn, dialect = en-nhs-clinical (prefer), dialect = en-gb (accept) }}
< 64572001 {{ term = "box", type = syn, dialect = ( en-gb (prefer) en-nhs-clinical (prefer) ) }}
< 64572001 {{ term = "box", type = syn, dialect = ( en-gb en-nhs-clinical ) (prefer) }}
< 64572001 {{ D dialectId = (900000000000509007 (prefer accept) 900000000000508004 |GB| (900000000000549004)) }}
< 125605004 {{ term != "fracture", type = syn, dialect = en-us (prefer)}}
< 125605004 MINUS < 125605004 {{ term != "fracture"}}
< 125605004 MINUS * {{ term != "fracture"}}
< 56265001 {{ C definitionStatusId = 900000000000074008 |Primitive| }}
< 64572001 {{ C definitionStatus = primitive }} {{ D term = "heart"}}
< 195967001 {{ C definitionStatus = primitive, moduleId = 900000000000207008 }}
< 125605004 {{ C effectiveTime = ("20190131" "20190731" "20200131" "20200731") }}
^ 816080008 {{ C active = false }}
^ 447562003 {{ M mapTarget = "J45.9" }}
^ 447562003 {{ M mapGroup != #2, mapPriority < #2, mapTarget = wild:"J*" }}
^ [targetComponentId] 900000000000527005 {{ M referencedComponentId = 67415000 }}
^ 900000000000534007 {{ M moduleId = << 32570231000036109 }}
^ 816080008 {{ M effectiveTime >= "20210731" }}
^ 816080008 {{ M active = "*" }}
<< 195967001 OR ^ 900000000000527005 {{ M targetComponentId = << 195967001 }}
<< 195967001 {{ + HISTORY ( 900000000000527005 |SAME AS| ) }}
<< 195967001 {{ + HISTORY (< 900000000000522004) }}
<< 195967001 {{ + HISTORY (*) }}
<< 195967001 {{+HISTORY-MAX}}
!!> ( < 386617003 . 363698007 )
top ( < 386617003 . 363698007 )
!!< ( >> 45133009 AND ^ 991411000000109 )
LOINC#54486-6
"LOINC#54486-6"
<< LOINC#54486-6 |Phosphate| . 246093002`

// answers returns a world by hand: 100000 has children 100010, 100020 and 100030; 100040 is
// below 100010 and 100020, 100090 was and is inactive. 100001 is the attribute above
// 100002 and 100003; 100004 holds values that are no concepts.
func answers(t *testing.T) *codesystem.Index {
	w := &world{detailed: true, names: []string{"100001", "100002", "100003", "100004"}}
	add := func(code string, parents ...string) *worldConcept {
		c := &worldConcept{code: code, module: "900001", display: code}
		for _, p := range parents {
			c.parents = append(c.parents, w.find(p))
		}
		c.descriptions = []worldDescription{{id: code + "11", text: "Name of " + code, language: "en", use: synonymType}}
		w.concepts = append(w.concepts, c)
		return c
	}
	code := func(name, value string, group int) worldRel { return worldRel{name, "Code", value, group} }
	add("100000")
	add("100001", "100000")
	add("100002", "100001")
	add("100003", "100001")
	add("100004", "100000")
	add("100010", "100000")
	add("100020", "100000")
	add("100030", "100000")
	add("100040", "100010", "100020")
	// Two groups, each with one of 100002 and 100003.
	add("200001", "100030").rels = []worldRel{code("100002", "100010", 1), code("100003", "100020", 1), code("100002", "100040", 2), code("100003", "100030", 2)}
	// The values of the first group in two groups.
	add("200002", "100030").rels = []worldRel{code("100002", "100010", 1), code("100003", "100020", 2)}
	// Two of one attribute in one group.
	add("200003", "100030").rels = []worldRel{code("100002", "100010", 1), code("100002", "100030", 1)}
	// No groups.
	add("200004", "100030").rels = []worldRel{code("100002", "100010", 0), code("100003", "100020", 0)}
	// The same twice.
	add("200005", "100030").rels = []worldRel{code("100002", "100040", 1), code("100002", "100040", 2)}
	add("200006", "100030").rels = []worldRel{{"100004", "Decimal", "1.0", 0}, {"100004", "String", "PANADOL", 0}, {"100004", "Boolean", "true", 0}}
	add("200007", "100030").rels = []worldRel{{"100004", "Integer", "1", 0}, {"100004", "String", "panadol forte", 0}}
	add("200008", "100030").rels = []worldRel{{"100004", "Decimal", "2.50", 0}}
	w.find("200008").descriptions = append(w.find("200008").descriptions, worldDescription{id: "20000812", text: "a + b", language: "en", use: synonymType})
	add("100090").inactive = true
	concepts := []codesystem.RefsetColumn{{Name: "targetComponentId", Type: codesystem.RefsetConcept}}
	row := func(active bool, component string, values ...string) worldRow {
		return worldRow{component: w.find(component), active: active, module: "900001", time: "20200101", values: values}
	}
	add("300001", "100000")
	add("300002", "100000")
	add(synonymType, "100000")
	w.find("100040").module = "100010"
	w.refsets = []*worldRefset{
		{code: "900000000000527005", columns: concepts, rows: []worldRow{row(true, "100090", "100040")}},
		{code: "300001", rows: []worldRow{row(true, "100010"), row(false, "100020"), row(true, "100090")}},
		{code: "300002", columns: []codesystem.RefsetColumn{{Name: "mapTarget", Type: codesystem.RefsetString}, {Name: "mapGroup", Type: codesystem.RefsetInteger}}, rows: []worldRow{
			row(true, "100010", "J45.9", "1"), row(true, "100020", "J45.0", "2"), row(true, "100030", "K20", "1"),
		}},
	}
	return w.index(t)
}

// TestAnswers has answers that were read from the specification, not computed.
func TestAnswers(t *testing.T) {
	x, dialects := answers(t), fuzzWorld().index(t)
	for _, c := range []struct{ text, want string }{
		// Hierarchy, 6.1 and 6.12.
		{"< 100010", "100040"},
		{"<< 100010", "100010 100040"},
		{"> 100040", "100000 100010 100020"},
		{">! 100040", "100010 100020"},
		{"<! 100000 AND >! 100040", "100010 100020"},
		{"!!> (100010 OR 100040 OR 100030)", "100010 100030"},
		{"!!< (100010 OR 100040 OR 100030)", "100030 100040"},
		{"!!> (>> 100040)", "100000"},
		{"100090", "100090"}, // itself, active or not
		{"* MINUS << 100000", ""},
		{"* {{ C active = 0 }}", "100090"},
		{"<< 100090", "100090"},
		// Compounds, 6.4 and 6.5.
		{"(<< 100010 MINUS 100040) OR 100020", "100010 100020"},
		{"<< 100010 MINUS (100040 OR 100020)", "100010"},
		// Attributes, 6.2.
		{"* : 100002 = 100010", "200001 200002 200003 200004"},
		{"* : 100002 = << 100010", "200001 200002 200003 200004 200005"},
		{"* : << 100001 = 100020", "200001 200002 200004"},
		{"* : * = 100020", "200001 200002 200004"},
		{"* : (100002 OR 100003) = 100030", "200001 200003"},
		{"* : 100002 = (<< 100010 MINUS 100010)", "200001 200005"},
		{"* : 100001 = *", ""},
		// Not equal, 6.5: another value is there.
		{"* : 100002 != 100010", "200001 200003 200005"},
		{"* : 100002 != << 100010", "200003"},
		{"* : [0..0] 100002 != << 100010, 100002 = *", "200001 200002 200004 200005"},
		{"* : { 100002 != 100010, 100003 = * }", "200001"},
		{"* : { 100002 = 100010, 100003 != 100020 }", ""},
		// Cardinality, 6.3: of all groups together, so that the same relationship in two groups counts twice.
		{"* : [2..*] 100002 = *", "200001 200003 200005"},
		{"* : [1..1] 100002 = *", "200002 200004"},
		{"* : [2..2] 100002 = << 100010", "200001 200005"},
		{"< 100030 : [0..0] 100002 = *", "200006 200007 200008"},
		{"< 100030 : [0..1] 100002 = *", "200002 200004 200006 200007 200008"},
		{"* : { [2..*] 100002 = * }", "200003"},
		{"< 100030 : [0..0] { [2..*] 100002 = * }, 100002 = *", "200001 200002 200004 200005"},
		{"* : [2..*] { 100002 = * }", "200001 200005"},
		{"* : [1..1] { 100002 = * }", "200002 200003 200004"},
		{"< 100030 : [0..0] { 100002 = 100010, 100003 = 100020 }", "200002 200003 200004 200005 200006 200007 200008"},
		{"* : { 100002 = 100010, 100003 = 100020 }", "200001"},
		{"* : 100002 = 100010, 100003 = 100020", "200001 200002 200004"},
		{"* : { 100002 = 100010 }, { 100003 = 100020 }", "200001 200002 200004"},
		{"* : { 100002 = *, [0..0] 100003 = * }", "200002 200003 200004 200005"},
		{"* : { 100002 = 100030 OR 100003 = 100030 }", "200001 200003"},
		// Reverse and dotted, 6.2 and 6.3: distinct sources count.
		{"* : R 100002 = 200001", "100010 100040"},
		{"* : [4..4] R 100002 = *", "100010"},
		{"* : [2..2] R 100002 = *", "100040"},
		{"<< 100010 : [0..1] R 100002 = (200001 OR 200002)", "100040"},
		{"* : [1..1] R 100002 = (200001 OR 200003 OR 200005)", "100030"},
		{"(200001 OR 200003) . 100002", "100010 100030 100040"},
		{"200005 . 100002 . 100002", ""},
		{"* : R << 100001 = 200002", "100010 100020"},
		{"200002 . *", "100010 100020"},
		{"200002 . (100003 OR 100004)", "100020"},
		// Concrete values, 6.2: numbers by value, texts exactly, unless match or wild is said.
		{"* : 100004 = #1", "200006 200007"},
		{"* : 100004 = #1.000", "200006 200007"},
		{"* : 100004 != #1", "200008"},
		{"* : 100004 > #1", "200008"},
		{"* : 100004 <= #2.5", "200006 200007 200008"},
		{`* : 100004 = "PANADOL"`, "200006"},
		{`* : 100004 = "panadol"`, ""},
		{`* : 100004 = match:"panadol"`, "200006 200007"},
		{`* : 100004 = wild:"*forte"`, "200007"},
		{`* : 100004 = ("x" "PANADOL")`, "200006"},
		{`* : 100004 != ("x" "PANADOL")`, "200007"},
		{"* : 100004 = true", "200006"},
		{"* : 100004 != true", ""},
		{"* : [2..*] 100004 = *", "200006 200007"},
		// Members, 6.1 and 6.10.
		{"^ 300001", "100010 100090"},
		{"^ 300001 {{ C active = 1 }}", "100010"},
		{"^ 300001 {{ M active = 0 }}", "100020"},
		{`^ 300001 {{ M active = "*" }}`, "100010 100020 100090"},
		{"^ [referencedComponentId] 300001", "100010 100090"},
		{"^ [*] 300001", "100010 100090"},
		{"^ [targetComponentId] 900000000000527005", "100040"},
		{"^ [targetComponentId] 900000000000527005 {{ M referencedComponentId = 100090 }}", "100040"},
		{"< 100000 AND ^ [TARGETCOMPONENTID] *", "100040"},
		{`^ 300002 {{ M mapTarget = "J45" }}`, "100010 100020"},
		{`^ 300002 {{ M mapTarget = wild:"J45.9" }}`, "100010"},
		{`^ 300002 {{ M mapTarget = "J45", mapGroup != #1 }}`, "100020"},
		{"^ (300001 OR 300002) {{ M mapGroup = #1 }}", "100010 100030"},
		// History, 6.11.
		{"<< 100010 {{ + HISTORY-MIN }}", "100010 100040 100090"},
		{"100010 {{ + HISTORY }}", "100010"},
		{"100040 {{ + HISTORY (900000000000526001) }}", "100040"},
		{"100090 {{ + HISTORY }}", "100090"},
		// Filters, 6.8 and 6.9.
		{`<< 100010 {{ term = "name 100040" }}`, "100040"},
		{`<< 100010 {{ term = "name" }} {{ term != "100040" }}`, "100010"},
		{`<< 100010 {{ id = 10001011 }}`, "100010"},
		{`* {{ id = 10001011, term = "name" }}`, "100010"},
		{`* {{ term = "+" }}`, "200008"},
		{`* {{ term = "=" }}`, ""},
		// Of concepts of which others decide what they have.
		{"^ ((100040 OR 200001) . 100002)", ""},
		{"^ (300001 AND (200001 : 100002 = *))", ""},
		{"^ 300001 {{ M referencedComponentId = (200001 . 100002) }}", "100010"},
		{"^ [targetComponentId] * {{ M targetComponentId = (200001 . 100002) }}", "100040"},
		{"100010 {{ typeId = (200001 . 100002) }}", ""},
		{"<< 100010 {{ C moduleId = (200001 . 100002) }}", "100040"},
		{"> (200001 . 100002)", "100000 100010 100020"},
		{"* {{ dialectId = (100001 . 100001) }}", "100002"},
		{"* {{ dialectId != (100001 . 100001) }}", "100000 100001 100003 100004"},
		{"100040 {{ + HISTORY ((200001 . 100002)) }}", "100040"},
		{`100090 {{ term = "name" }}`, "100090"},
		{`* {{ term = "100090" }} {{ C active = * }}`, "100090"},
		{"<< 100010 {{ C effectiveTime = \"\" }}", "100010 100040"},
		{"<< 100010 {{ C effectiveTime < \"20200101\" }}", ""},
	} {
		x := x
		if strings.Contains(c.text, "dialect") {
			x = dialects
		}
		e, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		plan, err := Compile(x, e)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		set, err := plan.Set(context.Background())
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var got []string
		for it := set.Iterator(); it.HasNext(); {
			got = append(got, x.Code(it.Next()))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, strings.Join(got, " "), c.want)
		}
		for o := range uint32(x.Len()) {
			if in, err := plan.Contains(context.Background(), o); err != nil || in != set.Contains(o) {
				t.Errorf("%s: contains %s: %v, %v", c.text, x.Code(o), in, err)
			}
		}
		stopped := func(of func(context.Context, *Plan) error) {
			for looks, seen := 0, true; seen; looks++ {
				fresh, err := Compile(x, e)
				if err != nil {
					t.Fatal(err)
				}
				ctx := contexttest.After(context.Background(), looks)
				err = of(ctx, fresh)
				if seen = ctx.Seen(); seen != errors.Is(err, context.Canceled) {
					t.Fatalf("%s, stopped at look %d: %v", c.text, looks, err)
				}
			}
		}
		stopped(func(ctx context.Context, p *Plan) error {
			_, err := p.Set(ctx)
			return err
		})
		for o := range uint32(x.Len()) {
			stopped(func(ctx context.Context, p *Plan) error {
				_, err := p.Contains(ctx, o)
				return err
			})
		}
	}
}

// TestLazySet checks that a set is computed once, and again after an error.
func TestLazySet(t *testing.T) {
	var lazy lazySet
	made := 0
	for i := range 4 {
		set, err := lazy.get(t.Context(), func(context.Context) (*roaring.Bitmap, error) {
			if made++; made == 1 {
				return nil, context.Canceled
			}
			return roaring.BitmapOf(uint32(made)), nil
		})
		if (err != nil) != (i == 0) || i > 0 && !set.Contains(2) {
			t.Errorf("get %d: %v, %v", i, set, err)
		}
	}
}

// TestSupplements finds concepts by the texts of two supplements.
func TestSupplements(t *testing.T) {
	x := answers(t)
	var supplements []*codesystem.Index
	for _, code := range []string{"100010", "100040"} {
		w := &world{concepts: []*worldConcept{{code: code, display: "Nom " + code}}}
		for i := range 30 {
			w.concepts = append(w.concepts, &worldConcept{code: strconv.Itoa(400000 + i), display: "Nom"})
		}
		supplements = append(supplements, w.index(t))
	}
	for text, want := range map[string]uint64{`* {{ term = "nom" }}`: 2, `<< 100010 {{ term = "nom" }}`: 2, `<! 100010 {{ term = "nom" }}`: 1, `* {{ term = "nom", id = 1000401 }}`: 0} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Compile(x, e, supplements...)
		if err != nil {
			t.Fatal(err)
		}
		set, err := plan.Set(t.Context())
		if err != nil || set.GetCardinality() != want {
			t.Errorf("%s: %v, %v, want %d", text, set, err, want)
			continue
		}
		for o := range uint32(x.Len()) {
			if in, err := plan.Contains(t.Context(), o); err != nil || in != set.Contains(o) {
				t.Errorf("%s: contains %s: %v, %v", text, x.Code(o), in, err)
			}
		}
	}
}

// TestFields checks selections of fields whose result is not a set of concepts.
func TestFields(t *testing.T) {
	x := answers(t)
	for _, c := range []struct {
		text string
		want error
		part string
	}{
		{"^ [mapTarget] 300002", ErrFields, "mapTarget"},
		{"^ [referencedComponentId, targetComponentId] 900000000000527005", ErrFields, "referencedComponentId, targetComponentId"},
		{"^ [*] 900000000000527005", ErrFields, "*"},
		{"^ [foo] 300002", ErrUnknownField, "foo"},
	} {
		e, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		var evaluation *EvaluationError
		if _, err = Compile(x, e); !errors.Is(err, c.want) || !errors.As(err, &evaluation) || evaluation.Part != c.part {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
