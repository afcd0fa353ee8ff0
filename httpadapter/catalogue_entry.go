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

// loaded answers with a resource that was loaded from files.
func (c *call) loaded(entry *engine.Entry, part *subset) {
	if part == nil {
		tags := loadedValidators(entry)
		c.setValidators(tags)
		if tags.fresh(c.r.Header) {
			c.empty(http.StatusNotModified)
			return
		}
	}
	c.w.Header()["Content-Type"] = valueFHIR
	out := newStream(c, http.StatusOK)
	if err := out.resource(entry, part); err != nil {
		out.abort(err)
		return
	}
	out.close()
}

// resource writes the JSON of an entry, or a part of it.
func (s *stream) resource(entry *engine.Entry, part *subset) error {
	if entry.Document == nil && entry.CodeSystem != nil {
		x, err := s.index(entry)
		if err != nil {
			return err
		}
		if part != nil && !part.keepsName("CodeSystem", "concept") {
			return s.document(x.Header().AppendJSON(nil), part)
		}
		if part == nil {
			return x.WriteJSON(s)
		}
		var whole bytes.Buffer
		if err := x.WriteJSON(&whole); err != nil {
			return err
		}
		return s.document(whole.Bytes(), part)
	}
	doc, err := documentOf(entry)
	if err != nil {
		return err
	}
	return s.document(doc, part)
}

// index returns the index of a code system: the one the engine has at hand, if it is the
// one of this entry.
func (s *stream) index(entry *engine.Entry) (*codesystem.Index, error) {
	if entry.Header.URL != "" {
		x, err := s.c.h.Engine.System(entry.Header.URL, entry.Header.Version)
		if err == nil && x.Header().ID == entry.Header.ID && x.Version() == entry.Header.Version {
			return x, nil
		}
	}
	return entry.CodeSystem()
}

// documentOf returns the JSON of an entry that is small enough to be one.
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

// loadedValidators make an entity tag of what identifies the content of a loaded
// resource. It never looks like the tag of a stored version, so that a client notices
// when a stored one takes its place.
func loadedValidators(entry *engine.Entry) validators {
	sum := fnv.New64a()
	for _, text := range []string{
		entry.Header.URL, entry.Header.Version, entry.Header.Date, entry.Header.Name, entry.Header.Status,
		entry.Content, entry.Origin, strconv.Itoa(entry.Concepts),
	} {
		_ = binary.Write(sum, binary.LittleEndian, uint32(len(text))) // a hash never fails
		_, _ = sum.Write([]byte(text))
	}
	v := validators{etag: `W/"l` + strconv.FormatUint(sum.Sum64(), 36) + `"`}
	if meta := entry.Header.Meta; meta != nil {
		if at, err := time.Parse(time.RFC3339, meta.LastUpdated); err == nil {
			v.modified = at
		}
		v.etag = v.etag[:len(v.etag)-1] + "-" + tagText(meta.VersionID) + `"`
	}
	return v
}

// tagText keeps of a version id what may stand in an entity tag.
func tagText(s string) string {
	if !saneID(s) {
		return ""
	}
	return s
}
