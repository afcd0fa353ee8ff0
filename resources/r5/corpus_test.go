package r5_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r5"
	"github.com/roget-health/roget/resources/sharedtest"
	"github.com/roget-health/roget/resources/validate"
)

// TestFixtures converts the resources and requests of HL7's terminology tests, which are R5: they
// are the same after a conversion to R4 and back, and valid R4 in between.
func TestFixtures(t *testing.T) {
	v4, v5 := validate.New(definitions.R4()), validate.New(definitions.R5())
	converted, valid := 0, 0
	root := sharedtest.Path(t, "conformance/tests")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || bytes.Contains(data, []byte("$")) {
			return err // a template of a response
		}
		doc := parse(t, bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if typ := doc.ResourceType(); !r5.Supports(typ) {
			return nil
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			as4 := roundTrip(t, doc.Source())
			if validate.Failed(v5.Validate(doc)) {
				return
			}
			valid++
			for _, is := range v4.Validate(parse(t, as4)) {
				if is.Severity == validate.Error && !strings.HasPrefix(is.Text, "cmd-1: ") { // R5 needs no comment
					t.Error(is)
				}
			}
		})
		converted++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if valid < 600 {
		t.Errorf("only %d files were valid R5", valid)
	}
	t.Log(converted, "files,", valid, "of them valid R5")
}

// TestCore converts the definitions of R4 core: they are valid R5, and the same R4 after a
// conversion back.
func TestCore(t *testing.T) {
	v := validate.New(definitions.R5())
	for _, name := range []string{"codesystems", "valuesets", "conceptmaps"} {
		n := 0
		for line := range bytes.Lines(sharedtest.Unzipped(t, sharedtest.Path(t, "data/r4-core/"+name+".ndjson.gz"))) {
			as5, err := r5.FromR4(line)
			if err != nil {
				t.Fatal(err)
			}
			doc := parse(t, as5)
			for _, is := range v.Validate(doc) {
				if is.Severity == validate.Error {
					t.Errorf("%s: %s", doc.Root().Get("id").Text(), is)
				}
			}
			back, err := r5.ToR4(as5)
			if err != nil {
				t.Fatal(err)
			}
			if diff := difference(parse(t, line).Root(), parse(t, undeclared(t, back)).Root()); diff != "" {
				t.Errorf("%s: %s", doc.Root().Get("id").Text(), diff)
			}
			n++
		}
		t.Log(n, name)
		if n == 0 {
			t.Errorf("no %s", name)
		}
	}
}

// undeclared removes the declarations of attributes, which R5 requires and R4 does not have.
func undeclared(t *testing.T, doc []byte) []byte {
	if !bytes.Contains(doc, []byte("ConceptMap.additionalAttribute")) {
		return doc
	}
	d := parse(t, doc)
	e := d.Edit()
	list := d.Root().Get("extension")
	left := list.Len()
	for x := range list.Items() {
		if strings.HasSuffix(x.Get("url").Text(), "ConceptMap.additionalAttribute") {
			e.Remove(x)
			left--
		}
	}
	if left == 0 {
		e = d.Edit()
		e.Remove(list)
	}
	out, err := e.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
