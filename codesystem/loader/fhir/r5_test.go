package fhir

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
)

// documents keeps what it is given, as documents by id.
type documents map[string][]byte

func (d documents) CodeSystem(x *codesystem.Index, _ Origin) error {
	var b strings.Builder
	err := x.WriteJSON(&b)
	d[x.Header().ID] = []byte(b.String())
	return err
}

func (d documents) Document(_ string, h *r4.Header, body []byte, _ Origin) error {
	d[h.ID] = body
	return nil
}

// TestR5 reads resources of R5, alone and in a package, which become R4, and are R5 again after a
// conversion back.
func TestR5(t *testing.T) {
	resources := map[string]string{
		"cs": `{"resourceType":"CodeSystem","id":"cs","extension":[{"url":"http://x/y","valueCode":"z"}],"url":"http://cs","version":"1","versionAlgorithmString":"semver","status":"active",
			"content":"complete","concept":[{"code":"a","display":"A"}],"copyrightLabel":"ours","_copyrightLabel":{"id":"c"},"topic":[{"text":"t"}],
			"filter":[{"code":"parent","operator":["=","child-of"],"value":"a code"}]}`,
		"vs": `{"resourceType":"ValueSet","id":"vs","url":"http://vs","status":"active","compose":{"include":[{"system":"http://cs","copyright":"ours","filter":[{"property":"parent","op":"child-of","value":"a"}]}]}}`,
		"cm": `{"resourceType":"ConceptMap","id":"cm","url":"http://cm","status":"active","sourceScopeUri":"http://vs","group":[{"source":"http://cs|1","target":"http://t",
			"element":[{"code":"a","target":[{"code":"b","relationship":"source-is-narrower-than-target","dependsOn":[{"attribute":"sex","valueCode":"f"}]}]},{"code":"c","noMap":true}]}]}`,
	}
	alone := documents{}
	var files []entry
	for id, body := range resources {
		files = append(files, entry{"package/" + id + ".json", body})
		if err := Read(t.Context(), strings.NewReader(body), "input", Options{}, alone); err != nil {
			t.Fatal(err)
		}
	}
	packed := documents{}
	files = append([]entry{{"package/package.json", `{"name":"x","fhirVersions":["5.0.0"]}`}}, files...)
	if err := Read(t.Context(), strings.NewReader(string(gzipped(tarred(files...)))), "input", Options{}, packed); err != nil {
		t.Fatal(err)
	}
	for id, body := range resources {
		if string(alone[id]) != string(packed[id]) || len(alone[id]) == 0 {
			t.Errorf("%s: %s alone, %s in a package", id, alone[id], packed[id])
		}
		back, err := r5.FromR4(alone[id])
		if err != nil {
			t.Fatal(err)
		}
		var was, is map[string]json.RawMessage
		if json.Unmarshal([]byte(body), &was) != nil || json.Unmarshal(back, &is) != nil {
			t.Fatalf("%s", back)
		}
		for name := range was {
			if _, found := is[name]; !found {
				t.Errorf("%s has lost %s: %s", id, name, back)
			}
		}
	}
	for id, parts := range map[string][]string{
		"cs": {`"operator":["=",null]`, `extension-CodeSystem.copyrightLabel","valueString":"ours"`, `"url":"http://x/y"`},
		"vs": {`"_op":{"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.compose.include.filter.op","valueCode":"child-of"}]}`},
		"cm": {`"equivalence":"wider"`, `"equivalence":"unmatched"`, `"source":"http://cs","sourceVersion":"1"`, `"sourceUri":"http://vs"`},
	} {
		for _, part := range parts {
			if !strings.Contains(string(alone[id]), part) {
				t.Errorf("%s has no %s: %s", id, part, alone[id])
			}
		}
	}
	if m, err := r4.DecodeConceptMap(alone["cm"]); err != nil || m.Group[0].SourceVersion != "1" || m.Group[0].Element[0].Target[0].DependsOn[0].Property != "sex" {
		t.Errorf("%+v, %v", m, err)
	}
	if header, err := r4.DecodeCodeSystem(alone["cs"]); err != nil || len(header.Filter[0].Operator) != 2 || header.Filter[0].Operator[1] != "child-of" {
		t.Errorf("%+v, %v", header, err)
	}
}

// TestR5Properties checks that the properties which a value set of R5 asks for survive.
func TestR5Properties(t *testing.T) {
	got := documents{}
	body := `{"resourceType":"ValueSet","id":"vs","status":"active","compose":{"property":["weight","colour"],"include":[{"system":"http://cs"}]}}`
	if err := Read(t.Context(), strings.NewReader(body), "input", Options{}, got); err != nil {
		t.Fatal(err)
	}
	vs, err := r4.DecodeValueSet(got["vs"])
	if err != nil || strings.Join(vs.Compose.Properties(), " ") != "weight colour" {
		t.Errorf("%s: %v", got["vs"], err)
	}
}

// TestR5Header reads a header without extensions between lines that are refused.
func TestR5Header(t *testing.T) {
	got := documents{}
	body := "{\"resourceType\":\"CodeSystem\",\n\"url\":7,\n\"x\":1}\n" + `{"resourceType":"CodeSystem","id":"cs","copyrightLabel":"ours"}` + "\n" +
		`{"resourceType":"CodeSystem","concept":[{"property":[{"valueInteger":2147483648}]}]}`
	err := Read(t.Context(), strings.NewReader(body), "input", Options{KeepGoing: true}, got)
	if err == nil || strings.Count(err.Error(), "input: ") != 2 || !strings.Contains(err.Error(), "found 2147483648") || !strings.Contains(string(got["cs"]), `Label","valueString":"ours"`) {
		t.Errorf("%s: %v", got["cs"], err)
	}
}

// TestR5XML reads a map of R5 in XML.
func TestR5XML(t *testing.T) {
	got := documents{}
	body := `<ConceptMap xmlns="http://hl7.org/fhir"><id value="cm"/><status value="active"/><group><source value="http://s|1"/><element><code value="a"/>` +
		`<target><code value="b"/><relationship value="source-is-narrower-than-target"/></target></element></group></ConceptMap>`
	if err := Read(t.Context(), strings.NewReader(body), "input", Options{}, got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got["cm"]), `"equivalence":"wider"`) || !strings.Contains(string(got["cm"]), `"sourceVersion":"1"`) {
		t.Errorf("%s", got["cm"])
	}
}
