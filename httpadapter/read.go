package httpadapter

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources"
)

// read responds with the current version of a resource (GET /T/id): the stored one, else the one
// loaded from files, else the one that this server generates.
func (c *call) read() {
	typ, id := c.label.typ, c.target.id
	part, err := c.part()
	if err != nil {
		c.fail(err)
		return
	}
	v, err := c.storedVersion(typ, id)
	if err == nil {
		c.respondVersion(v, part)
		return
	}
	if isCatalogued(typ) && absent(err) {
		all, refused := c.loadedPermitted(typ, access.Read)
		if refused != nil {
			c.fail(refused)
			return
		}
		if entry, found := c.h.Engine.Entry(typ, id); all && found && !entry.Stored {
			c.respondLoaded(entry, part)
			return
		}
	}
	if absent(err) {
		for _, g := range c.h.generated(typ, c.base()) {
			if g.id == id {
				c.respondGenerated(g, part)
				return
			}
		}
	}
	c.fail(notFoundIfBadID(err, typ, id))
}

// part reads which part of a resource the client wants, nil for all of it, and chooses the format of the
// response.
func (c *call) part() (*subset, error) {
	if c.wantsContent() {
		return nil, nil
	}
	control, err := c.negotiateQuery()
	if err != nil {
		return nil, err
	}
	return subsetOf(c.tables(), control)
}

// notFoundIfBadID turns the error of a malformed id into that of a missing resource.
func notFoundIfBadID(err error, typ, id string) error {
	if errors.Is(err, resources.ErrBadID) {
		return resources.NotFound(resources.Key{Type: typ, ID: cut(id)})
	}
	return err
}

func (c *call) storedVersion(typ, id string) (resources.Version, error) {
	if !c.h.stored[typ] {
		return resources.Version{}, resources.NotFound(resources.Key{Type: typ, ID: cut(id)})
	}
	return c.h.Resources.Read(c.context(), typ, id)
}

// respondVersion responds with a stored version.
func (c *call) respondVersion(v resources.Version, part *subset) {
	if c.wantsContent() {
		c.respondContent(v)
		return
	}
	c.note(hasRead, v.Type, v.ID, v.VersionID, v.Body)
	if part != nil {
		body, err := c.spoken(v.Body)
		if err == nil {
			body, err = part.apply(body)
		}
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
	c.respond(http.StatusOK, v.Body)
}

// readVersion responds with one version of a stored resource (GET /T/id/_history/n).
func (c *call) readVersion() {
	typ, id, version := c.label.typ, c.target.id, c.target.last
	part, err := c.part()
	if err != nil {
		c.fail(err)
		return
	}
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil || n < 1 || !c.h.stored[typ] {
		c.refuse(http.StatusNotFound, "not-found", "%s/%s has no version %q", typ, cut(id), cut(version))
		return
	}
	v, err := c.h.Resources.ReadVersion(c.context(), typ, id, n)
	if errors.Is(err, resources.ErrNoHistory) {
		if v, err = c.h.Resources.Read(c.context(), typ, id); err == nil && v.VersionID != n {
			err = resources.VersionNotFound(v.Key, n)
		}
	}
	if err != nil {
		c.fail(notFoundIfBadID(err, typ, id))
		return
	}
	c.respondVersion(v, part)
}
