package markup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"

	"github.com/roget-health/roget/codesystem/loader"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ document, want string }{
		{`<a>x<b>y</b>z&amp;<!-- no --><c>w</c>  1</a>`, "x y z&w 1"},
		{`<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE a SYSTEM "a.dtd"><a>` + "\xe4</a>", "ä"},
		{`<?xml version="1.0" encoding="windows-1252"?><a>` + "\x80</a>", "€"},
		{`<a></a>`, ""},
	} {
		r := NewReader(strings.NewReader(test.document))
		if _, err := r.Root("b", "a"); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Text("b"); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v", test.document, got, err)
		}
	}
}

func TestChildren(t *testing.T) {
	r := NewReader(strings.NewReader("<a>\n<b x='1'/>text<c><b x='2'/></c>\n<b x='3'>y</b></a>"))
	if _, err := r.Root("a"); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := r.Children(func(e xml.StartElement) error {
		got = append(got, e.Name.Local+Attribute(e, "x")+Attribute(e, "y"))
		return r.Skip()
	})
	if want := "b1 c b3"; err != nil || strings.Join(got, " ") != want || r.Line() != 3 {
		t.Errorf("got %v, %v, line %d", got, err, r.Line())
	}
	if err := NewReader(strings.NewReader("<a>")).Skip(); !errors.Is(err, loader.ErrFormat) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	const longest = 1 << 16 // in place of MaxToken
	for _, test := range []struct {
		document string
		is       error
		says     string
	}{
		{"", loader.ErrFormat, "ends too early"},
		{"<b/>", loader.ErrFormat, `the root element is "b", not a`},
		{"<a>\n<b></a>", loader.ErrFormat, "line 2: "},
		{"<a>", loader.ErrFormat, "line 1: "},
		{"<a>&nbsp;</a>", loader.ErrFormat, "entity"},
		{"<!DOCTYPE a [\n<!ENTITY b 'c'>]><a>&b;</a>", loader.ErrFormat, "declares entities"},
		{`<?xml version="1.0" encoding="EBCDIC"?><a/>`, loader.ErrFormat, "convert the file to UTF-8"},
		{"<a>\xff</a>", loader.ErrFormat, "UTF-8"},
		{strings.Repeat("<a>", MaxDepth+1), loader.ErrTooLarge, "nest deeper than 200"},
		{"<a>" + strings.Repeat("x", longest+1<<16) + "</a>", loader.ErrTooLarge, "a text of more"},
		{"<a>" + strings.Repeat(strings.Repeat("x", longest/2)+"<b/>", 3) + "</a>", loader.ErrTooLarge, "a text of more"},
	} {
		r := NewReader(strings.NewReader(test.document))
		r.in.limit = longest
		_, err := r.Root("a")
		if err == nil {
			_, err = r.Text()
		}
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%.60s: got %v, want %v with %q", test.document, err, test.is, test.says)
		}
	}
}

// TestLatin reads every byte as the tables of golang.org/x/text have it, in pieces of any
// size.
func TestLatin(t *testing.T) {
	all := make([]byte, 0, 3*256)
	for i := range cap(all) {
		all = append(all, byte(i))
	}
	for name, row := range map[string]struct {
		table *charmap.Charmap
		upper *[32]rune
	}{
		"ISO 8859-1":   {charmap.ISO8859_1, nil},
		"Windows-1252": {charmap.Windows1252, &windows1252},
	} {
		want, err := row.table.NewDecoder().Bytes(all)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(newLatin(iotest.OneByteReader(bytes.NewReader(all)), row.upper), want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
