package httpadapter

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"net/http"
	"strconv"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
)

// respondLoaded responds with a resource that was loaded from files.
func (c *call) respondLoaded(entry *engine.Entry, part *subset) {
	c.note(hasRead, c.label.typ, entry.Header.ID, 0, nil)
	if part == nil {
		tags := loadedValidators(entry)
		c.setValidators(tags)
		if tags.fresh(c.r.Header) {
			c.empty(http.StatusNotModified)
			return
		}
	}
	out := newStream(c, http.StatusOK)
	if err := out.writeEntry(entry, part); err != nil {
		out.abort(err)
		return
	}
	out.close()
}

// writeEntry writes the JSON of an entry, or the subset of it if part is not nil.
func (s *stream) writeEntry(entry *engine.Entry, part *subset) error {
	if entry.Document == nil && entry.CodeSystem != nil {
		x, err := s.index(entry)
		if err != nil {
			return err
		}
		if part != nil && !part.keepsName("CodeSystem", "concept") {
			return s.writeDocument(x.Header().AppendJSON(nil), part)
		}
		if part == nil && s.c.at.isR5() {
			return s.writeIndexR5(x)
		}
		if part == nil {
			return x.WriteJSON(s)
		}
		var whole bytes.Buffer
		if err := x.WriteJSON(&whole); err != nil {
			return err
		}
		return s.writeDocument(whole.Bytes(), part)
	}
	doc, err := documentOf(entry)
	if err != nil {
		return err
	}
	return s.writeDocument(doc, part)
}

// index returns the index of a code system: the one that the engine has open if it is of this
// entry, else a new one.
func (s *stream) index(entry *engine.Entry) (*codesystem.Index, error) {
	if entry.Header.URL != "" {
		x, err := s.c.h.Engine.System(entry.Header.URL, entry.Header.Version)
		if err == nil && x.Header().ID == entry.Header.ID && x.Version() == entry.Header.Version {
			return x, nil
		}
	}
	return entry.CodeSystem()
}

// documentOf returns the JSON of an entry that is small enough to be held in memory.
func documentOf(entry *engine.Entry) ([]byte, error) {
	switch {
	case entry.Document != nil:
		return entry.Document()
	case entry.ValueSet != nil:
		vs, err := entry.ValueSet()
		if err != nil {
			return nil, err
		}
		return vs.AppendJSON(nil), nil
	default:
		m, err := entry.ConceptMap()
		if err != nil {
			return nil, err
		}
		return m.AppendJSON(nil), nil
	}
}

// loadedValidators returns an entity tag made from the fields that identify the content of a
// loaded resource. It never equals the tag of a stored version, so that a client notices when a
// stored resource replaces the loaded one.
func loadedValidators(entry *engine.Entry) validators {
	sum := fnv.New64a()
	for _, text := range []string{
		entry.Header.URL, entry.Header.Version, entry.Header.Date, entry.Header.Name, entry.Header.Status,
		entry.Content, entry.Origin, strconv.Itoa(entry.Concepts),
	} {
		_ = binary.Write(sum, binary.LittleEndian, uint32(len(text))) //nolint:gosec // texts of a header are short; a hash never fails
		_, _ = sum.Write([]byte(text))
	}
	v := validators{etag: `W/"l` + strconv.FormatUint(sum.Sum64(), 36) + `"`}
	if meta := entry.Header.Meta; meta != nil {
		if at, err := time.Parse(time.RFC3339, meta.LastUpdated); err == nil {
			v.modified = at
		}
		v.etag = v.etag[:len(v.etag)-1] + "-" + etagText(meta.VersionID) + `"`
	}
	return v
}

// etagText returns a version id if it is allowed in an entity tag, else "".
func etagText(s string) string {
	if !validRequestID(s) {
		return ""
	}
	return s
}
