package httpadapter

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// control reads the parameters every request may carry from the query.
func (c *call) control() (operation.Control, error) {
	if c.r.URL.RawQuery == "" {
		return operation.Control{}, nil
	}
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return operation.Control{}, withStatus(http.StatusBadRequest, operation.Problem{
			Code: "value", Text: "the query is malformed: " + err.Error(),
		})
	}
	return operation.Control{
		Format:   query.Get("_format"),
		Pretty:   query.Get("_pretty"),
		Summary:  query.Get("_summary"),
		Elements: query.Get("_elements"),
	}, nil
}

// agreed is control for a request whose answer the client takes as JSON.
func (c *call) agreed() (operation.Control, error) {
	control, err := c.control()
	if err == nil {
		err = c.negotiate(control.Format, control.Pretty)
	}
	return control, err
}

// read returns the current version of a resource (GET /T/id): the stored one, or the one
// loaded from files, or what this server says about itself.
func (c *call) read() {
	typ, id := c.label.typ, c.target.id
	control, err := c.agreed()
	var part *subset
	if err == nil {
		part, err = subsetOf(c.h.tables, control)
	}
	if err != nil {
		c.fail(err)
		return
	}
	v, err := c.storedVersion(typ, id)
	if err == nil {
		c.version(v, part)
		return
	}
	if isCatalogued(typ) {
		if entry, found := c.h.Engine.Entry(typ, id); found && !entry.Stored {
			c.loaded(entry, part)
			return
		}
	}
	if op := c.h.byID[id]; op != nil && typ == typeDefinition {
		c.statement(typeDefinition+" "+id, func() (any, error) { return c.h.definition(c.base(), op), nil })
		return
	}
	c.fail(missing(err, typ, id))
}

// missing makes of the error of an id that cannot be one that there is no such resource.
func missing(err error, typ, id string) error {
	if errors.Is(err, resources.ErrBadID) {
		return resources.NotFound(resources.Key{Type: typ, ID: cut(id)})
	}
	return err
}

func (c *call) storedVersion(typ, id string) (resources.Version, error) {
	if !c.h.stored[typ] {
		return resources.Version{}, resources.NotFound(resources.Key{Type: typ, ID: cut(id)})
	}
	return c.h.Resources.Read(c.r.Context(), typ, id)
}

// version answers with a stored version.
func (c *call) version(v resources.Version, part *subset) {
	if part != nil {
		body, err := part.of(v.Body)
		if err != nil {
			c.fail(err)
			return
		}
		c.fhir(http.StatusOK, body)
		return
	}
	tags := validators{versionTag(v.VersionID), v.LastUpdated}
	c.setValidators(tags)
	if tags.fresh(c.r.Header) {
		c.empty(http.StatusNotModified)
		return
	}
	c.fhir(http.StatusOK, v.Body)
}

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

// readVersion returns one version of a stored resource (GET /T/id/_history/n).
func (c *call) readVersion() {
	typ, id, version := c.label.typ, c.target.id, c.target.last
	control, err := c.agreed()
	var part *subset
	if err == nil {
		part, err = subsetOf(c.h.tables, control)
	}
	if err != nil {
		c.fail(err)
		return
	}
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil || n < 1 || !c.h.stored[typ] {
		c.refuse(http.StatusNotFound, "not-found", "%s/%s has no version %q", typ, cut(id), cut(version))
		return
	}
	v, err := c.h.Resources.ReadVersion(c.r.Context(), typ, id, n)
	if errors.Is(err, resources.ErrNoHistory) {
		if v, err = c.h.Resources.Read(c.r.Context(), typ, id); err == nil && v.VersionID != n {
			err = resources.VersionNotFound(v.Key, n)
		}
	}
	if err != nil {
		c.fail(missing(err, typ, id))
		return
	}
	c.version(v, part)
}
