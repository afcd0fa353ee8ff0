package ucum

import (
	"bytes"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/packed"
)

// TestAtoms parses every unit of the table, with each prefix where it is metric.
func TestAtoms(t *testing.T) {
	table, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.order) < 300 || len(table.prefixes) != 24 {
		t.Fatalf("%d units, %d prefixes", len(table.order), len(table.prefixes))
	}
	for _, a := range table.order {
		u := parse(t, a.code)
		if c := u.single(); c == nil || c.atom != a || c.prefix != nil || c.exponent != 1 {
			t.Errorf("%s is read as %+v", a.code, u.components)
		}
		if u.Display() != "("+a.name+")" || u.Property() != a.property || u.Special() != a.special {
			t.Errorf("%s: display %s, property %s, special %t", a.code, u.Display(), u.Property(), u.Special())
		}
		if a.special != (a.scale != nil) {
			t.Errorf("%s: special %t without a function, or the reverse", a.code, a.special)
		}
		if a.factor.Sign() <= 0 {
			t.Errorf("%s: factor %s", a.code, a.factor)
		}
		// With each prefix it is the prefix and the unit, unless a unit has that very symbol.
		for symbol, p := range table.prefixes {
			code := symbol + a.code
			if table.atoms[code] != nil {
				continue
			}
			u, err := Parse(code)
			if !a.metric {
				if err == nil && u.single().atom == a {
					t.Errorf("%s: a prefix before a unit that is not metric", code)
				}
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			if c := u.single(); c.atom != a || c.prefix != p {
				t.Errorf("%s is read as %+v", code, c)
			}
		}
	}
	for i, code := range table.bases {
		if d := parse(t, code).dimension(); d[i] != 1 {
			t.Errorf("%s: dimension %v", code, d)
		}
	}
	for _, code := range canonicalOrder {
		if _, ok := table.atoms[code]; !ok {
			t.Errorf("%s is no unit", code)
		}
	}
}

func TestEdition(t *testing.T) {
	version, date, err := Edition()
	if err != nil || version != Version || date != "2024-06-17" {
		t.Errorf("edition %s of %s, %v", version, date, err)
	}
}

func TestBadTables(t *testing.T) {
	essence, err := packed.Text(essenceFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"not XML":           {"</root>", ""},
		"base unit missing": {"<base-unit Code=\"cd\"", "<unit Code=\"cd\""},
		"no number":         {`value="1e24"`, `value="much"`},
		"unknown unit":      {`<value Unit="kg" UNIT="KG" value="1e3">`, `<value Unit="nothing" value="1e3">`},
		"circle":            {`<value Unit="h" UNIT="HR" value="24">`, `<value Unit="wk" value="24">`},
		"unknown function":  {`<function name="Cel"`, `<function name="Sel"`},
		"too large":         {`<value Unit="kg" UNIT="KG" value="1e3">`, `<value Unit="Ym999" value="1e3">`},
	} {
		text := bytes.Replace(essence, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(text, essence) {
			t.Fatalf("%s: nothing was changed", name)
		}
		text = []byte(strings.Replace(string(text), "<unit Code=\"cd\"", "<unit Code=\"xx\"", 1))
		if _, err := newTable(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
