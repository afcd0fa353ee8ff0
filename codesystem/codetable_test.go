package codesystem

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// codeTexts draws codes of the kinds that the packing distinguishes, and similar ones.
func codeTexts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,20}`),
		rapid.StringMatching(`[A-Z][0-9]{2}(\.[0-9A-Z]{1,4})?`),
		rapid.StringMatching(`(HP|CHEBI):[0-9]{5,9}`),
		rapid.StringMatching(`[a-zA-Z-]{1,30}`),
		rapid.StringN(0, 12, 24),
		rapid.SampledFrom([]string{"0", "00", "01", "18446744073709551616", "9999999999999999999", "\x00", "\x00\x00", "a\x00", "ſ", "s", "K", "k"}),
	)
}

// Exact keys are equal only for equal codes.
func TestPackIsInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := codeTexts().Draw(t, "a"), codeTexts().Draw(t, "b")
		keyA, extA, exactA := packCode(a, 1)
		keyB, extB, exactB := packCode(b, 1)
		same := keyA == keyB && extA == extB
		if exactA != exactB && same {
			t.Fatalf("%q and %q: an exact key is that of a hash", a, b)
		}
		if exactA && exactB && same != (a == b) {
			t.Fatalf("%q and %q: same key %v", a, b, same)
		}
		if len(a) <= 11 && !exactA {
			t.Fatalf("%q is hashed", a)
		}
	})
}

func TestParseDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[0-9]{1,19}`), rapid.StringMatching(`[0-9]{0,9}[:/a\x80-\xff ]?[0-9]{0,9}`)).Draw(t, "s")
		got, ok := parseDecimal(s)
		want, err := strconv.ParseUint(s, 10, 64)
		if s != "" && len(s) <= 19 && (ok != (err == nil) || ok && got != want) {
			t.Fatalf("%q: %d, %v", s, got, ok)
		}
	})
}

// Codes that differ in one byte have different hashes.
func TestHashHearsEachByte(t *testing.T) {
	code := []byte("abcdefghijklmnopqrstuvwxyz")
	for n := range len(code) {
		whole := hashText(string(code[:n]), 1)
		for i := range n {
			other := slices.Clone(code[:n])
			other[i] ^= 1
			if hashText(string(other), 1) == whole {
				t.Errorf("byte %d of %d", i, n)
			}
		}
	}
}

// Folding and strings.EqualFold are the same relation.
func TestFoldIsEqualFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := codeTexts().Draw(t, "a")
		b := rapid.SampledFrom([]string{strings.ToUpper(a), strings.ToLower(a), strings.ToTitle(a), codeTexts().Draw(t, "b")}).Draw(t, "form")
		same := string(appendFolded(nil, a)) == string(appendFolded(nil, b))
		if same != strings.EqualFold(a, b) {
			t.Fatalf("%q and %q: %v", a, b, same)
		}
	})
}

// Each letter folds to one that is equal under strings.EqualFold, and so do its other cases.
func TestFoldOfEachLetter(t *testing.T) {
	for r := range rune(0x1F000) {
		if utf8.ValidRune(r) {
			s, other := string(r), string(unicode.SimpleFold(r))
			if got := string(appendFolded(nil, s)); !strings.EqualFold(got, s) || got != string(appendFolded(nil, other)) {
				t.Errorf("%q folds to %q, %q to %q", s, got, other, appendFolded(nil, other))
			}
		}
	}
}

// A table finds exactly the codes that were added, as a map does.
func TestCodeTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fold := rapid.Bool().Draw(t, "fold")
		table := codeTable{fold: fold}
		added := newArena()
		reference := map[string]uint32{}
		key := func(code string) string {
			if fold {
				return string(appendFolded(nil, code))
			}
			return code
		}
		for range rapid.IntRange(0, 60).Draw(t, "count") {
			code := codeTexts().Draw(t, "code")
			codes := added.texts()
			at, ok := table.find(code, uint32(added.len()), &codes)
			want, there := reference[key(code)]
			if ok != there || at != want {
				t.Fatalf("find(%q) = %d, %v, want %d, %v", code, at, ok, want, there)
			}
			if !ok {
				reference[key(code)] = uint32(added.len())
				added.add(code)
				codes = added.texts()
				table.insert(code, uint32(added.len()-1), &codes)
			}
		}
	})
}

// A table outgrows a seed under which codes pile up.
func TestTableChangesItsSeed(t *testing.T) {
	codes := newArena()
	table := codeTable{}
	// Codes chosen to fall on one place while the table is small enough to reach.
	for i, found := 0, 0; found < 2*longProbe; i++ {
		code := "code-number-" + strconv.Itoa(i)
		key, ext, _ := packCode(code, 0)
		if table.place(key, ext)&0x3FF != 7 {
			continue
		}
		codes.add(code)
		all := codes.texts()
		table.insert(code, uint32(found), &all)
		found++
	}
	if table.seed == 0 {
		t.Error("the seed is the first one")
	}
	all := codes.texts()
	for i := range uint32(codes.len()) {
		if got, ok := table.find(codes.at(i), uint32(codes.len()), &all); !ok || got != i {
			t.Fatalf("find(%q) = %d, %v", codes.at(i), got, ok)
		}
	}
}

// Looking up allocates nothing, in any kind of system.
func TestFindAllocatesNothing(t *testing.T) {
	for _, x := range []*Index{sample(t, nil), sample(t, insensitive)} {
		for _, code := range []string{"penguin", "10050001", "a-code-of-more-than-eleven-bytes", "absent", "ABSENT-AND-LONGER-THAN-ELEVEN"} {
			bytes := []byte(code)
			if n := testing.AllocsPerRun(100, func() {
				x.Find(code)
				if o, ok := x.FindBytes(bytes); ok {
					x.IsAncestor(0, o)
				}
			}); n != 0 {
				t.Errorf("%q: %v allocations", code, n)
			}
		}
	}
}
