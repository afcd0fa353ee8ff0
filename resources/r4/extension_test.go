package r4_test

import (
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

func TestExtensionsRoundTrip(t *testing.T) {
	const document = `{"resourceType":"ValueSet","compose":{"extension":[{"url":"http://x/p","extension":[{"url":"name"},{"url":"value","valueCode":"de"}]}],` +
		`"include":[{"extension":[{"url":"http://x/i","valueDecimal":1.50}],"system":"http://x/s","concept":[{"extension":[{"url":"http://x/c","valueCoding":{"code":"c"}}],` +
		`"code":"a","designation":[{"extension":[{"url":"http://x/d","valueBoolean":true}],"language":"de","value":"A"}]}]}],"property":["order"]}}`
	vs, err := r4.DecodeValueSet([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(vs.AppendJSON(nil)); got != document {
		t.Errorf("got  %s\nwant %s", got, document)
	}
	list := vs.Compose.Extension
	if x := list.Find("http://x/p"); x == nil || x.Extension.Text("value") != "de" || x.Extension.Text("none") != "" {
		t.Errorf("extension not found: %+v", list)
	}
	if list.Find("http://x/q") != nil {
		t.Error("found an extension that is not there")
	}
}

func TestDecodeExtensions(t *testing.T) {
	list, err := r4.DecodeExtensions([]byte(`[{"url":"u","valueCode":"draft"},{"url":"v","valueUnheardOf":{"a":1}}]`))
	if err != nil || len(list) != 2 || list.Text("u") != "draft" || !list[1].Value.IsZero() {
		t.Errorf("got %+v, %v", list, err)
	}
	if list, err := r4.DecodeExtensions(nil); list != nil || err != nil {
		t.Errorf("nothing gave %v, %v", list, err)
	}
	if _, err := r4.DecodeExtensions([]byte(`{"url":"u"}`)); err == nil {
		t.Error("an object is no list of extensions")
	}
}
