package resources

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/roget-health/roget/resources/document"
)

// instant is the FHIR form of meta.lastUpdated: UTC with milliseconds.
const instant = "2006-01-02T15:04:05.000Z"

// splice returns the document with the elements that a server sets: id, meta.versionId and
// meta.lastUpdated. All other bytes stay as they were sent: white space, order of members, other
// members of meta, and lexical forms. Absent elements are inserted without line breaks, id after
// resourceType and meta after id, so that line numbers stay the same.
//
// The result is a new slice.
func (o *outline) splice(id string, versionID int64, lastUpdated time.Time) ([]byte, error) {
	idText, err := json.Marshal(id)
	if err != nil {
		return nil, fmt.Errorf("id: %w", err)
	}
	version := `"` + strconv.FormatInt(versionID, 10) + `"`
	updated := `"` + lastUpdated.UTC().Format(instant) + `"`

	body := o.top.Document().Source()
	e := editor{src: body, dst: make([]byte, 0, len(body)+160)}
	if !o.resourceType.Exists() && (!o.id.Exists() || !o.meta.Exists()) {
		e.copyTo(o.top.Offset() + 1)
		e.insertFirst(o, string(idText), version, updated)
	}
	for _, v := range o.inOrder() {
		switch v {
		case o.resourceType:
			e.copyTo(v.End())
			if !o.id.Exists() {
				e.add(`,"id":`, string(idText))
			}
			if !o.meta.Exists() {
				e.add(`,"meta":{"versionId":`, version, `,"lastUpdated":`, updated, `}`)
			}
		case o.id:
			e.replace(v, string(idText))
		case o.meta:
			e.intoMeta(o, version, updated)
		}
	}
	e.copyTo(len(body))
	return e.dst, nil
}

// inOrder returns those of resourceType, id and meta that are present, in the order of the text.
func (o *outline) inOrder() []document.Value {
	spans := make([]document.Value, 0, 3)
	for _, s := range [...]document.Value{o.resourceType, o.id, o.meta} {
		if !s.Exists() {
			continue
		}
		i := len(spans)
		for i > 0 && spans[i-1].Offset() > s.Offset() {
			i--
		}
		spans = slices.Insert(spans, i, s)
	}
	return spans
}

// editor copies a text from front to back with changes.
type editor struct {
	src, dst []byte
	done     int // src[:done] is in dst
}

func (e *editor) copyTo(end int) {
	e.dst = append(e.dst, e.src[e.done:end]...)
	e.done = end
}

func (e *editor) add(texts ...string) {
	for _, t := range texts {
		e.dst = append(e.dst, t...)
	}
}

func (e *editor) replace(v document.Value, text string) {
	e.copyTo(v.Offset())
	e.add(text)
	e.done = v.End()
}

// insertFirst writes id and meta, if absent, as the first members of a document without
// resourceType.
func (e *editor) insertFirst(o *outline, id, version, updated string) {
	if !o.id.Exists() {
		e.add(`"id":`, id)
	}
	if !o.meta.Exists() {
		if !o.id.Exists() {
			e.add(`,`)
		}
		e.add(`"meta":{"versionId":`, version, `,"lastUpdated":`, updated, `}`)
	}
	if o.top.Len() > 0 {
		e.add(`,`)
	}
}

// intoMeta sets versionId and lastUpdated in an existing meta.
func (e *editor) intoMeta(o *outline, version, updated string) {
	e.copyTo(o.meta.Offset() + 1)
	sep := ""
	if !o.versionID.Exists() {
		e.add(`"versionId":`, version)
		sep = `,`
	}
	if !o.lastUpdated.Exists() {
		e.add(sep, `"lastUpdated":`, updated)
		sep = `,`
	}
	if o.meta.Len() > 0 {
		e.add(sep)
	}
	first, firstText, second, secondText := o.versionID, version, o.lastUpdated, updated
	if first.Offset() > second.Offset() {
		first, firstText, second, secondText = second, secondText, first, firstText
	}
	if first.Exists() {
		e.replace(first, firstText)
	}
	if second.Exists() {
		e.replace(second, secondText)
	}
}
