package resources

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// instant is the FHIR form of meta.lastUpdated: UTC with milliseconds.
const instant = "2006-01-02T15:04:05.000Z"

// SpliceMeta gives the document with the elements a server sets: id, meta.versionId and
// meta.lastUpdated. Every other byte stays as it was sent: white space, order of members,
// other members of meta, and lexical forms. Absent elements are inserted without line
// breaks, id after resourceType, meta after id, so that line numbers stay too.
//
// The result is a new slice. An error tells that body is not one JSON object, has id,
// meta or resourceType twice, or that meta is not an object.
func SpliceMeta(body []byte, id string, versionID int64, lastUpdated time.Time) ([]byte, error) {
	var o outline
	if err := o.read(body); err != nil {
		return nil, err
	}
	idText, err := json.Marshal(id)
	if err != nil {
		return nil, fmt.Errorf("id: %w", err)
	}
	version := `"` + strconv.FormatInt(versionID, 10) + `"`
	updated := `"` + lastUpdated.UTC().Format(instant) + `"`

	e := editor{src: body, dst: make([]byte, 0, len(body)+160)}
	if !o.resourceType.present() && (!o.id.present() || !o.meta.present()) {
		e.copyTo(o.top.inside)
		e.insertFirst(o, string(idText), version, updated)
	}
	for _, v := range o.inOrder() {
		switch v {
		case o.resourceType:
			e.copyTo(v.end)
			if !o.id.present() {
				e.add(`,"id":`, string(idText))
			}
			if !o.meta.present() {
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

// inOrder gives the present ones of resourceType, id and meta as they stand in the text.
func (o *outline) inOrder() []span {
	spans := make([]span, 0, 3)
	for _, s := range []span{o.resourceType, o.id, o.meta} {
		if !s.present() {
			continue
		}
		i := len(spans)
		for i > 0 && spans[i-1].start > s.start {
			i--
		}
		spans = append(spans, span{})
		copy(spans[i+1:], spans[i:])
		spans[i] = s
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

func (e *editor) replace(s span, text string) {
	e.copyTo(s.start)
	e.add(text)
	e.done = s.end
}

// insertFirst writes id and meta, where absent, as first members of a document that
// has no resourceType to put them after.
func (e *editor) insertFirst(o outline, id, version, updated string) {
	if !o.id.present() {
		e.add(`"id":`, id)
	}
	if !o.meta.present() {
		if !o.id.present() {
			e.add(`,`)
		}
		e.add(`"meta":{"versionId":`, version, `,"lastUpdated":`, updated, `}`)
	}
	if !o.top.empty {
		e.add(`,`)
	}
}

// intoMeta sets versionId and lastUpdated in the meta that is there.
func (e *editor) intoMeta(o outline, version, updated string) {
	e.copyTo(o.metaObject.inside)
	sep := ""
	if !o.versionID.present() {
		e.add(`"versionId":`, version)
		sep = `,`
	}
	if !o.lastUpdated.present() {
		e.add(sep, `"lastUpdated":`, updated)
		sep = `,`
	}
	if !o.metaObject.empty {
		e.add(sep)
	}
	first, firstText, second, secondText := o.versionID, version, o.lastUpdated, updated
	if first.start > second.start {
		first, firstText, second, secondText = second, secondText, first, firstText
	}
	if first.present() {
		e.replace(first, firstText)
	}
	if second.present() {
		e.replace(second, secondText)
	}
}
