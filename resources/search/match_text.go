package search

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// words parses _text and _content: lists of words between commas. The document must contain all
// words of one list, in any order.
func (p *parser) words(param Param) *Error {
	w := Words{Param: param, Narrative: param.Name == "_text"}
	for _, raw := range cut(param.Value, ',') {
		list := wordsOf(unescape(raw))
		if len(list) == 0 {
			return malformed("expected words to search for")
		}
		w.Alternatives = append(w.Alternatives, list)
	}
	if p.alternatives += len(w.Alternatives); p.alternatives > maxAlternatives {
		return malformed("the search has more than %d values", maxAlternatives)
	}
	for i := range p.query.Types {
		t := &p.query.Types[i]
		t.Texts = append(t.Texts, w)
	}
	p.use(param)
	return nil
}

// wordsOf returns the folded words of a text.
func wordsOf(text string) []string {
	return strings.FieldsFunc(index.Spaced(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// filterTexts returns the matches whose documents contain the requested words.
func (r *run) filterTexts(ctx context.Context, of *TypeQuery, found []match) ([]match, error) {
	seqs := make([]index.Seq, len(found))
	for i := range found {
		seqs[i] = found[i].rec.Seq
	}
	r.effort += costLoad * len(seqs)
	records, _, err := index.Weigh(ctx, r.reader, seqs, math.MaxInt)
	if err != nil {
		return nil, err
	}
	out := found[:0]
	for i := range records {
		holds, err := textsOf(ctx, r.reader, of, records[i])
		if err != nil {
			return nil, err
		}
		if holds {
			out = append(out, found[i])
		}
	}
	return out, nil
}

// textsOf reports whether the document of a record contains the requested words.
func (e *Env) textsOf(ctx context.Context, of *TypeQuery, rec *index.Record) (bool, error) {
	found, err := e.reader.Load(ctx, []index.Seq{rec.Seq}, index.WithSmallBody)
	if err != nil {
		return false, err
	}
	return textsOf(ctx, e.reader, of, found[0])
}

// parsedSize is how many times its size a document needs in memory while it is parsed.
const parsedSize = 8

// textsOf is textsIn for a record, whose document is loaded if it is missing. The memory for it is
// given back at the end.
func textsOf(ctx context.Context, r index.Reader, of *TypeQuery, rec index.Record) (bool, error) {
	one := []index.Record{rec}
	if index.Missing(one) {
		weight := parsedSize * int64(rec.Size)
		if err := budget.Try(ctx, weight); err != nil {
			return false, err
		}
		if weight >= budget.Small {
			defer budget.Of(ctx).Give(weight)
		}
		if err := index.Fill(ctx, r, one); err != nil {
			return false, err
		}
	}
	return of.textsIn(one[0].Body)
}

// textsIn reports whether a document contains the requested words.
func (t *TypeQuery) textsIn(body []byte) (bool, error) {
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return false, fmt.Errorf("read the text of a stored %s: %w", t.Type, err)
	}
	var all, narrative []string
	for i := range t.Texts {
		w := &t.Texts[i]
		if w.Narrative && narrative == nil {
			narrative = wordsOf(plainText(d.Root().Get("text").Get("div").Text()))
		}
		if !w.Narrative && all == nil {
			all = textsIn(nil, d.Root())
		}
		words := all
		if w.Narrative {
			words = narrative
		}
		if !w.in(words) {
			return false, nil
		}
	}
	return true, nil
}

// textsIn appends the words of all strings of a document, with the markup of the narrative removed.
func textsIn(words []string, v document.Value) []string {
	if v.Kind() == document.String {
		text := v.Text()
		if v.Name() == "div" {
			text = plainText(text)
		}
		return append(words, wordsOf(text)...)
	}
	for child := range v.Children() {
		words = textsIn(words, child)
	}
	return words
}

// in reports whether words contains all words of an alternative.
func (w *Words) in(words []string) bool {
	for _, asked := range w.Alternatives {
		if hasAll(words, asked) {
			return true
		}
	}
	return false
}

func hasAll(words, asked []string) bool {
	for _, a := range asked {
		found := false
		for _, w := range words {
			if found = strings.HasPrefix(w, a); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// plainText replaces the tags of XHTML by blanks, so that the words of adjacent cells stay apart.
// It decodes only the character references listed in references.
func plainText(markup string) string {
	var b strings.Builder
	for markup != "" {
		text, rest, found := strings.Cut(markup, "<")
		b.WriteString(references.Replace(text))
		if !found {
			break
		}
		b.WriteByte(' ')
		_, markup, _ = strings.Cut(rest, ">")
	}
	return b.String()
}

// references are the character references that are decoded.
var references = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&", "&nbsp;", " ", "&#160;", " ")
