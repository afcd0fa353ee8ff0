package fhir

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// tree is a concept of a generated code system.
type tree struct {
	code, display string
	properties    []string
	nested        []*tree
}

// drawTree draws a forest with unique codes.
func drawForest(t *rapid.T) []*tree {
	n := rapid.IntRange(0, 25).Draw(t, "concepts")
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\"\\\n é日😀")), 0, 6, -1)
	var roots []*tree
	var all []*tree
	for i := range n {
		c := &tree{code: fmt.Sprintf("c%d", i), display: text.Draw(t, "display")}
		for range rapid.IntRange(0, 3).Draw(t, "properties") {
			c.properties = append(c.properties, text.Draw(t, "property"))
		}
		if parent := rapid.IntRange(-1, i-1).Draw(t, "parent"); parent >= 0 {
			all[parent].nested = append(all[parent].nested, c)
		} else {
			roots = append(roots, c)
		}
		all = append(all, c)
	}
	return roots
}

// write returns a concept as JSON, its members in an order that rnd chooses.
func (c *tree) write(rnd *rand.Rand) string {
	members := []string{`"code":` + quote(c.code)}
	if c.display != "" {
		members = append(members, `"display":`+quote(c.display))
	}
	if len(c.properties) > 0 {
		var list []string
		for _, p := range c.properties {
			pair := []string{`"code":"note"`, `"valueString":` + quote(p)}
			rnd.Shuffle(len(pair), func(i, j int) { pair[i], pair[j] = pair[j], pair[i] })
			list = append(list, "{"+strings.Join(pair, ",")+"}")
		}
		members = append(members, `"property":[`+strings.Join(list, ",")+"]")
	}
	if len(c.nested) > 0 {
		members = append(members, `"concept":`+writeForest(c.nested, rnd))
	}
	rnd.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",\n") + "}"
}

func writeForest(list []*tree, rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, c := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.write(rnd))
	}
	b.WriteByte(']')
	return b.String()
}

func quote(s string) string { return string(r4.AppendString(nil, s)) }

// describe returns all there is to a concept and those nested in it.
func (c *tree) describe(parent string) []string {
	lines := []string{fmt.Sprintf("%s<%s %q %q", c.code, parent, c.display, c.properties)}
	for _, n := range c.nested {
		lines = append(lines, n.describe(c.code)...)
	}
	return lines
}

func describeIndex(x *codesystem.Index) []string {
	var lines []string
	for i := range codesystem.Ord(x.Len()) {
		parent := ""
		for _, p := range x.Parents(i) {
			parent += x.Code(p)
		}
		var properties []string
		for p := range x.Properties(i) {
			properties = append(properties, p.Value.Text)
		}
		lines = append(lines, fmt.Sprintf("%s<%s %q %q", x.Code(i), parent, x.Display(i), properties))
	}
	return lines
}

// TestOrderOfMembers: what a code system says does not depend on the order of members
// nor on how the bytes come; concepts are numbered in preorder of the source.
func TestOrderOfMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roots := drawForest(t)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		members := []string{`"resourceType":"CodeSystem"`, `"url":"http://x"`, `"content":"complete"`, `"property":[{"code":"note","type":"string"}]`, `"text":{"div":"x"}`}
		if len(roots) > 0 {
			members = append(members, `"concept":`+writeForest(roots, rnd))
		}
		rnd.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		data := []byte("{" + strings.Join(members, ",") + "}")

		want := []string(nil)
		for _, c := range roots {
			want = append(want, c.describe("")...)
		}
		r := &recorder{}
		if err := Read(t.Context(), iotest.HalfReader(bytes.NewReader(data)), "x", Options{}, r); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if got := describeIndex(r.indexes[0]); !slices.Equal(got, want) {
			t.Fatalf("%s\ngot  %s\nwant %s", data, got, want)
		}
	})
}

// FuzzRead: no input makes Read panic, hang, or hand on something half read.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		csA, csB, vsA, cmA, pat, csA + "\n" + csB, "\ufeff" + vsA,
		`{"resourceType":"Bundle","entry":[{"resource":` + csA + `},{"resource":` + vsA + `}]}`,
		`{"concept":[{"concept":[{"code":"y"}],"code":"x","property":[{"valueCode":"y","code":"child"}]}],"resourceType":"CodeSystem"}`,
		`{"resourceType":"CodeSystem","concept":[{"code":"a","designation":[{"use":{"code":"u"},"value":"v"}],"property":[{"code":"p","valueDecimal":1.0},{"code":"q","valueCoding":{"code":"z"}}]}],"property":[{"code":"p","type":"decimal"}]}`,
	} {
		f.Add([]byte(seed), false)
		f.Add(gzipped([]byte(seed)), true)
	}
	f.Add(tarred(entry{"package/package.json", "{}"}, entry{"package/a.json", csA}), false)
	f.Add(gzipped(tarred(entry{"package/a.json", csA}, entry{"package/../b.json", csB})), true)
	f.Fuzz(func(t *testing.T, data []byte, keepGoing bool) {
		opts := Options{KeepGoing: keepGoing, Limits: Limits{MaxBytes: 1 << 20, MaxDocument: 1 << 16, MaxNesting: 50}}
		whole := &recorder{}
		err := Read(t.Context(), bytes.NewReader(data), "fuzz", opts, whole)
		if err == nil && len(whole.lines) == 0 {
			t.Fatal("neither an error nor a resource")
		}
		for _, x := range whole.indexes {
			if _, err := codesystem.FromBytes(x.Bytes(), true); err != nil {
				t.Fatalf("index of %q: %v", data, err)
			}
		}
		if len(data) > 10_000 {
			return
		}
		slow := &recorder{}
		slowErr := Read(t.Context(), iotest.OneByteReader(bytes.NewReader(data)), "fuzz", opts, slow)
		if (err == nil) != (slowErr == nil) || !slices.Equal(whole.lines, slow.lines) {
			t.Fatalf("at once: %v %v\nbyte by byte: %v %v", whole.lines, err, slow.lines, slowErr)
		}
	})
}
