package httpadapter

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// create stores the body as a new resource (POST /T). With If-None-Exist it does so only
// when no resource matches that search.
func (c *call) create() {
	typ := c.label.typ
	body, err := c.document()
	if err != nil {
		c.fail(err)
		return
	}
	condition := c.r.Header.Get("If-None-Exist")
	if condition != "" {
		entry, err := c.catalogueMatch(typ, condition)
		switch {
		case err != nil:
			c.fail(err)
			return
		case entry != nil && entry.Stored:
			v, err := c.h.Resources.Read(c.r.Context(), typ, entry.Header.ID)
			if !absent(err) { // it may have gone meanwhile
				c.written(resources.Outcome{Version: v}, true, err)
				return
			}
		case entry != nil:
			c.loaded(entry, nil)
			return
		}
	}
	out, err := c.h.Resources.Create(c.context(), typ, body, resources.CreateOptions{IfNoneExist: condition})
	c.written(out, true, err)
}

// update stores the body under an id (PUT /T/id), new or not. Content that is what is
// stored already keeps its version.
func (c *call) update() {
	typ, id := c.label.typ, c.target.id
	body, err := c.document()
	if err != nil {
		c.fail(err)
		return
	}
	ctx := c.context()
	options, err := c.conditions(ctx, typ, id)
	if err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.Update(ctx, typ, id, body, options)
	c.written(out, out.Created, err)
}

// updateWhere stores the body in place of the one resource that a search finds, or as a
// new one (PUT /T?…).
func (c *call) updateWhere() {
	query, body, options, err := where(c, c.document)
	if err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.UpdateWhere(c.context(), c.label.typ, query, body, options)
	c.written(out, true, err)
}

// where reads what changes the one resource that a search finds: the search, the body as
// content reads it, and the conditions.
func where[T any](c *call, content func() (T, error)) (query []search.Param, body T, options resources.UpdateOptions, err error) {
	if query, err = c.condition(); err != nil {
		return query, body, options, err
	}
	if body, err = content(); err != nil {
		return query, body, options, err
	}
	options, err = c.conditionsWhere()
	return query, body, options, err
}

// remove deletes a resource (DELETE /T/id): 204, also when there is none. What was loaded
// from files cannot be deleted.
func (c *call) remove() {
	typ, id := c.label.typ, c.target.id
	ctx := c.context()
	options, err := c.conditions(ctx, typ, id)
	if err != nil {
		c.fail(err)
		return
	}
	if !resources.ValidID(id) {
		c.empty(http.StatusNoContent) // there is no such resource
		return
	}
	if err := c.onlyLoaded(ctx, typ, id); err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.Delete(ctx, typ, id, options)
	if err != nil {
		c.fail(err)
		return
	}
	if out.Changed {
		c.setValidators(validators{versionTag(out.VersionID), out.LastUpdated})
	}
	c.empty(http.StatusNoContent)
}

// onlyLoaded is an error when a resource is loaded from files and nothing is stored in its
// place.
func (c *call) onlyLoaded(ctx context.Context, typ, id string) error {
	if !isCatalogued(typ) {
		return nil
	}
	_, err := c.h.Resources.Read(ctx, typ, id)
	if !absent(err) {
		return nil
	}
	entry, found := c.h.Engine.Entry(typ, id)
	if !found || entry.Stored {
		return nil
	}
	return problem(http.StatusConflict, "conflict",
		"%s/%s is loaded (%s), not stored here: it cannot be deleted; a PUT puts another in its place", typ, id, entry.Origin)
}

// absent reports that an error says that there is no such resource.
func absent(err error) bool {
	return errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone)
}

// deleteWhere deletes what a search finds (DELETE /T?…): one resource, or several where the
// server allows it. 204, also when it finds nothing.
func (c *call) deleteWhere() {
	query, err := c.condition()
	var options resources.UpdateOptions
	if err == nil {
		options, err = c.conditionsWhere()
	}
	if err != nil {
		c.fail(err)
		return
	}
	deleted, err := c.h.Resources.DeleteWhere(c.context(), c.label.typ, query, c.h.DeleteMany, options)
	if err != nil {
		c.fail(err)
		return
	}
	if len(deleted) == 1 {
		c.setValidators(validators{versionTag(deleted[0].VersionID), deleted[0].LastUpdated})
	}
	c.empty(http.StatusNoContent)
}

// written answers a create, update or patch, with the body that Prefer asks for. located
// says that the client may not know the id, and gets a Location.
func (c *call) written(out resources.Outcome, located bool, err error) {
	if err != nil {
		c.fail(err)
		return
	}
	status := http.StatusOK
	if out.Created {
		status = http.StatusCreated
	}
	header := c.w.Header()
	version := strconv.FormatInt(out.VersionID, 10)
	c.setValidators(validators{versionTag(out.VersionID), out.LastUpdated})
	if located {
		header["Location"] = []string{c.base() + "/" + out.Type + "/" + out.ID + "/_history/" + version}
	}
	switch preference(c.r.Header["Prefer"], "return") {
	case "minimal":
		c.empty(status)
	case "operationoutcome":
		issues := append(issuesOf(out.Issues), r4.Issue{
			Severity: "information", Code: "informational",
			Diagnostics: out.Type + "/" + out.ID + " is stored as version " + version,
		})
		outcome := r4.OperationOutcome{Issue: issues}
		c.fhir(status, outcome.AppendJSON(nil))
	default:
		c.fhir(status, out.Body)
	}
}
