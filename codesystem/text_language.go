package codesystem

import (
	"strings"
	"sync"
)

// textLanguages holds the language of each description. It is built for the first query with a
// preferred language.
type textLanguages struct {
	once sync.Once
	// names are the stated languages of texts, each by its primary subtag in lower case; the first
	// is that of the code system. "" is unknown.
	names []string
	// ofKind returns the language of each kind of designation.
	ofKind []uint32
	// texts are the descriptions in each language, as bitmaps of whole chunks.
	texts [][]uint64
}

// primarySubtag returns the language of a BCP 47 tag without region, script and variants, in lower
// case.
func primarySubtag(tag string) string {
	tag, _, _ = strings.Cut(tag, "-")
	return strings.ToLower(tag)
}

// In returns the query with a preferred language: concepts found by a text in the language of a
// BCP 47 tag come before concepts only found by texts in other languages. Region and script are
// ignored, and a text of unknown language counts as one in the preferred language. The results and
// their total stay the same. "" and "*" prefer no language.
func (q *Query) In(tag string) *Query {
	preferring := *q
	if preferring.language = primarySubtag(tag); preferring.language == "*" {
		preferring.language = ""
	}
	return &preferring
}

// prefers reports whether texts in a language, given by its primary subtag, come first.
func (q *Query) prefers(language string) bool {
	return q.language == "" || language == "" || language == q.language
}

// languageOf returns the language of a text by its source; "" is unknown. The default is the
// language of the code system.
func (x *Index) languageOf(source uint32) string {
	if source != sourceDisplay {
		if tag := x.designations.table[x.designations.kinds[source]].Language; tag != "" {
			return primarySubtag(tag)
		}
	}
	return primarySubtag(x.header.Language)
}

// isPreferred reports whether a text is the display of its concept, or preferred by a language
// reference set.
func (x *Index) isPreferred(source uint32) bool {
	if source == sourceDisplay {
		return true
	}
	for _, a := range x.designations.table[x.designations.kinds[source]].Acceptability {
		if a.Preferred {
			return true
		}
	}
	return false
}

// textLanguages returns the languages of the descriptions.
func (x *Index) textLanguages() *textLanguages {
	l := x.text.languages
	l.once.Do(func() { l.fill(x) })
	return l
}

func (l *textLanguages) fill(x *Index) {
	l.names = []string{primarySubtag(x.header.Language)}
	l.ofKind = make([]uint32, len(x.designations.table))
	number := map[string]uint32{l.names[0]: 0}
	for i := range x.designations.table {
		tag := x.designations.table[i].Language
		if tag == "" {
			continue
		}
		name := primarySubtag(tag)
		at, known := number[name]
		if !known {
			at = uint32(len(l.names))
			number[name] = at
			l.names = append(l.names, name)
		}
		l.ofKind[i] = at
	}
	l.texts = make([][]uint64, len(l.names))
	words := wholeChunks(len(x.text.sources))
	all := make([]uint64, len(l.names)*words)
	for i := range l.texts {
		l.texts[i] = all[i*words : (i+1)*words]
	}
	for desc, source := range x.text.sources {
		at := uint32(0)
		if source != sourceDisplay {
			at = l.ofKind[x.designations.kinds[source]]
		}
		l.texts[at][desc>>6] |= 1 << (desc & 63)
	}
}

// textPass is the part of the descriptions to rank: those in the language that the query prefers
// come before all others.
type textPass uint8

const (
	everyText textPass = iota
	nativeTexts
	otherTexts
)

// choosePass chooses the first pass.
func (f *finder) choosePass() {
	f.pass, f.other = everyText, 0
	if f.q.language == "" {
		return
	}
	f.languages = f.x.textLanguages()
	f.native = f.s.native[:0]
	all, any := true, false
	for _, name := range f.languages.names {
		is := f.q.prefers(name)
		f.native = append(f.native, is)
		all, any = all && is, any || is
	}
	f.s.native = f.native
	switch {
	case !any:
		f.other = scoreOther
	case !all:
		f.pass = nativeTexts
	}
}
