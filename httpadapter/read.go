package httpadapter

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/roget-health/roget/resources"
)

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
