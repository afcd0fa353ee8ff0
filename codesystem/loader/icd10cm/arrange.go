package icd10cm

import (
	"slices"
	"strings"
)

// arrange places the codes of the order file by their characters, and drops the codes of the XML
// that it does not contain.
func (l *list) arrange() {
	kept := l.codes[:0]
	for _, e := range l.codes {
		if !e.listed {
			delete(l.byCode, e.code)
			continue
		}
		kept = append(kept, e)
	}
	l.codes = kept
	for _, e := range l.byCode {
		e.children = slices.DeleteFunc(e.children, func(c *entry) bool { return c.kind == code })
	}
	for _, e := range l.codes {
		above := l.shorter(e.code)
		if above == nil {
			if above = e.parent; above == nil || above.kind == code {
				above = l.holding(e.code)
			}
		}
		if e.parent = above; above != nil {
			above.children = append(above.children, e)
		}
	}
}

// shorter returns the longest code that is the beginning of a code: placeholders are not a level.
func (l *list) shorter(code string) *entry {
	for end := len(code) - 1; end >= 3; end-- {
		if code[end-1] == '.' {
			continue
		}
		if e := l.byCode[code[:end]]; e != nil {
			return e
		}
	}
	return nil
}

// holding returns the narrowest block, or else the chapter, whose range contains a category, or
// else the chapter with its letter, or nil.
func (l *list) holding(category string) *entry {
	var best *entry
	for _, c := range l.chapters {
		for _, e := range append([]*entry{c}, l.blocks[c]...) {
			first, last, ok := strings.Cut(e.code, "-")
			if ok && first <= category && category <= last && (best == nil || best.kind == chapter || within(e.code, best.code)) {
				best = e
			}
		}
	}
	for _, c := range l.chapters {
		if best == nil && c.code[0] == category[0] {
			best = c
		}
	}
	return best
}

// extend infers the codes with a seventh character that the XML does not list from the definitions
// of the nearest entry above, and returns how many they are.
func (l *list) extend() (made int) {
	for _, e := range slices.Clone(l.codes) {
		if len(e.children) > 0 || len(e.code) > len("A00.000") {
			continue
		}
		for above := e; above != nil; above = above.parent {
			if len(above.seventh) == 0 {
				continue
			}
			base := e.code
			if len(base) == 3 {
				base += "."
			}
			base += strings.Repeat("X", len("A00.000")-len(base))
			for _, c := range above.seventh {
				full := &entry{code: base + c.char, display: e.display + ", " + c.meaning, kind: code, line: e.line}
				if l.byCode[full.code] == nil {
					l.codes = append(l.codes, full)
					l.add(full, e)
					made++
				}
			}
			break
		}
	}
	for _, e := range l.codes {
		e.billable = len(e.children) == 0
	}
	return made
}
