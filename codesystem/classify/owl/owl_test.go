package owl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/classify"
)

// inferred classifies a text, and returns direct parents, equivalents and what has no instance.
func inferred(t testing.TB, text string) (string, map[string]int) {
	t.Helper()
	o := classify.New()
	if err := NewReader(o).Read(text); err != nil {
		t.Fatal(err)
	}
	x, err := o.Classify(t.Context(), classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range x.Classes {
		switch n := x.Node(c); {
		case n == classify.Bottom:
			list = append(list, x.Name(c)+"!")
		case n != c:
			list = append(list, x.Name(c)+"="+x.Name(n))
		default:
			for _, p := range x.Parents(c) {
				if p != classify.Top {
					list = append(list, x.Name(c)+"<"+x.Name(p))
				}
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, " "), o.Ignored
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want, ignored string }{
		{"hierarchy", "SubClassOf(:1 :2) SubClassOf(:2 :3) SubClassOf(:1 :3)", "1<2 2<3", ""},
		{
			"document", `# a comment
			Prefix(obo:=<http://purl.obolibrary.org/obo/>) Prefix(:=<http://example.org/#>)
			Ontology(<http://example.org> <http://example.org/1> Import(<http://example.org/b>)
			Annotation(rdfs:comment "a ) and \" (") Declaration(Class(:x)) Declaration(ObjectProperty(:p))
			AnnotationAssertion(rdfs:label obo:HP_1 "it"@en)
			SubClassOf(Annotation(rdfs:comment "b"^^xsd:string) obo:HP_1 :x) SubClassOf(<http://snomed.info/id/7> owl:Thing))`,
			"HP:1<http://example.org/#x", "",
		},
		{"definition", `EquivalentClasses(:9 ObjectIntersectionOf(:1 ObjectSomeValuesFrom(:609096000 ObjectIntersectionOf(
			ObjectSomeValuesFrom(:r :5) ObjectSomeValuesFrom(:s :6))))) SubClassOf(:4 :5)
			SubClassOf(:8 ObjectIntersectionOf(:1 ObjectSomeValuesFrom(:609096000 ObjectIntersectionOf(
			ObjectSomeValuesFrom(:s :6) ObjectSomeValuesFrom(:r :4)))))`, "4<5 8<9 9<1", ""},
		{"groups do not mix", `EquivalentClasses(:9 ObjectSomeValuesFrom(:g ObjectIntersectionOf(ObjectSomeValuesFrom(:r :5) ObjectSomeValuesFrom(:s :6))))
			SubClassOf(:8 ObjectIntersectionOf(ObjectSomeValuesFrom(:g ObjectSomeValuesFrom(:r :5)) ObjectSomeValuesFrom(:g ObjectSomeValuesFrom(:s :6))))`, "", ""},
		{
			"roles", `SubObjectPropertyOf(:r :s) SubObjectPropertyOf(ObjectPropertyChain(:s :p :p) :s) TransitiveObjectProperty(:t) ReflexiveObjectProperty(:p)
			SubClassOf(:1 ObjectSomeValuesFrom(:r :2)) SubClassOf(:2 ObjectSomeValuesFrom(:p :3)) SubClassOf(:3 ObjectSomeValuesFrom(:p :4))
			SubClassOf(ObjectSomeValuesFrom(:s :4) :10) SubClassOf(ObjectSomeValuesFrom(:s :3) :11) SubClassOf(ObjectSomeValuesFrom(:p :5) :12)
			SubClassOf(:6 ObjectSomeValuesFrom(:t :7)) SubClassOf(:7 ObjectSomeValuesFrom(:t :8)) SubClassOf(ObjectSomeValuesFrom(:t :8) :13)`,
			"1<10 1<11 5<12 6<13 7<13", "",
		},
		{"equal roles", "EquivalentObjectProperties(:r :s) SubClassOf(:1 ObjectSomeValuesFrom(:r :2)) SubClassOf(ObjectSomeValuesFrom(:s :2) :3)", "1<3", ""},
		{"domain", "ObjectPropertyDomain(:r :3) SubClassOf(:1 ObjectSomeValuesFrom(:r :2))", "1<3", ""},
		{"range", "ObjectPropertyRange(:s :3) SubObjectPropertyOf(:r :s) SubClassOf(:1 ObjectSomeValuesFrom(:r :2)) SubClassOf(ObjectSomeValuesFrom(:r ObjectIntersectionOf(:2 :3)) :4)", "1<4", ""},
		{"range of a reflexive role", "ObjectPropertyRange(:r :3) ReflexiveObjectProperty(:r) SubClassOf(:1 owl:Thing)", "3=owl:Thing", ""},
		{"nothing", `DisjointClasses(:1 :2 :3) SubClassOf(:4 :1) SubClassOf(:4 :3) SubClassOf(:5 ObjectSomeValuesFrom(:r :4)) SubClassOf(:6 owl:Nothing)
			DisjointClasses(:7 :7) SubClassOf(:8 :1)`, "4! 5! 6! 7! 8<1", ""},
		{"equivalence", "EquivalentClasses(:1 :2 :3) SubClassOf(:4 :2) SubClassOf(:3 :4)", "2=1 3=1 4=1", ""},
		{
			"values", `EquivalentClasses(:1 DataHasValue(:p "5.0"^^xsd:decimal)) EquivalentClasses(:2 DataHasValue(:p "+05"^^<http://www.w3.org/2001/XMLSchema#integer>))
			EquivalentClasses(:3 DataHasValue(:p "5")) EquivalentClasses(:4 DataHasValue(:p "-0"^^xsd:int)) EquivalentClasses(:5 DataHasValue(:p "0"^^xsd:integer))
			EquivalentClasses(:6 DataHasValue(:p "5"@EN)) EquivalentClasses(:7 DataHasValue(:p "5"@en)) EquivalentClasses(:8 DataHasValue(:p "5"^^xsd:string))
			SubDataPropertyOf(:p :q) EquivalentClasses(:9 DataHasValue(:q "5"^^xsd:integer))  EquivalentClasses(:0 DataHasValue(:p "5"^^xsd:double))`,
			"1<9 2=1 5=4 7=6 8=3", "",
		},
		{
			"not EL", `SubClassOf(:1 ObjectUnionOf(:2 :3)) SubClassOf(:1 ObjectSomeValuesFrom(ObjectInverseOf(:r) :2)) FunctionalObjectProperty(:r)
			EquivalentClasses(:4 ObjectIntersectionOf(:5 ObjectAllValuesFrom(:r :6))) SubClassOf(:4 :5) SubClassOf(:1 DataHasValue(ObjectInverseOf(:z) "1"))`,
			"4<5", "FunctionalObjectProperty 1, ObjectAllValuesFrom 1, ObjectInverseOf 2, ObjectUnionOf 1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, not := inferred(t, test.text)
			var ignored []string
			for name, n := range not {
				ignored = append(ignored, fmt.Sprint(name, " ", n))
			}
			slices.Sort(ignored)
			if list := strings.Join(ignored, ", "); got != test.want || list != test.ignored {
				t.Errorf("got  %s, ignored %s\nwant %s, ignored %s", got, list, test.want, test.ignored)
			}
		})
	}
}

func TestSyntax(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"SubClassOf(:1", "line 1, column 14: expected a name such as :73211009 or <http://example.org/a>, found the end"},
		{"SubClassOf(:1 :2) )", `line 1, column 19: expected an axiom such as SubClassOf(…), found ")"`},
		{"SubClassOf(:1\n :2 :3)", `line 2, column 5: expected ")", found ":3)"`},
		{"SubClassOf :1", `line 1, column 12: expected "(", found ":1"`},
		{"SubClassOf(x:1 :2)", `line 1, column 12: expected a prefix that was declared, such as Prefix(x:=<…>), found "x:1 :2)"`},
		{"SubClassOf(:1 <http://a", `line 1, column 15: expected an IRI that ends with >, found "<http://a"`},
		{`SubClassOf(:1 DataHasValue(:2 "a`, `line 1, column 31: expected a literal that ends with a quote, found "\"a"`},
		{`SubClassOf(:1 DataHasValue(:2 :3))`, `line 1, column 31: expected a literal, found ":3))"`},
		{`SubClassOf(:1 DataHasValue(:2 "1"^^))`, `line 1, column 36: expected a name such as :73211009 or <http://example.org/a>, found "))"`},
		{"SubClassOf(:1 ObjectUnionOf(:2", `line 1, column 31: expected ")", found the end`},
		{"SubClassOf(:1 " + strings.Repeat("ObjectSomeValuesFrom(:2 ", 501), `line 1, column 12015: expected less deeply nested expressions, found "ObjectSomeValuesFrom(:2 "`},
	} {
		err := NewReader(classify.New()).Read(test.text)
		if !errors.Is(err, ErrSyntax) || err.Error() != test.want {
			t.Errorf("%.60s\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"Prefix(:=<http://a#>) Ontology(<http://a> SubClassOf(:1 ObjectIntersectionOf(:2 ObjectSomeValuesFrom(:r owl:Nothing))))",
		`EquivalentClasses(:1 :2 DataHasValue(:p "1"^^xsd:decimal)) DisjointClasses(:1 owl:Thing :3) ReflexiveObjectProperty(:p)`,
		"SubObjectPropertyOf(ObjectPropertyChain(:r :s :r) :s) ObjectPropertyRange(:s :2) TransitiveObjectProperty(ObjectInverseOf(:r))",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := classify.New()
		if err := NewReader(o).Read(text); err != nil {
			if e, ok := errors.AsType[*SyntaxError](err); !ok || e.Line < 1 || e.Column < 1 {
				t.Fatalf("no place in %v", err)
			}
			return
		}
		if len(text) > 2000 {
			return
		}
		if _, err := o.Classify(t.Context(), classify.Options{Workers: 2}); err != nil {
			t.Fatal(err)
		}
	})
}
