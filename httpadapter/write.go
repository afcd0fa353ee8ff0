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

// create stores the body as a new resource (POST /T). With If-None-Exist or a query, it does so only
// if no resource matches that search.
func (c *call) create() {
	typ := c.label.typ
	body, err := c.readDocument()
	if err != nil {
		c.fail(err)
		return
	}
	condition, err := c.createCondition()
	if err != nil {
		c.fail(err)
		return
	}
	if condition != "" {
		entry, err := c.catalogueMatch(typ, condition)
		switch {
		case err != nil:
			c.fail(err)
			return
		case entry != nil && entry.Stored:
			v, err := c.h.Resources.Read(c.context(), typ, entry.Header.ID)
			if !absent(err) { // it may have been deleted meanwhile
				c.respondWritten(resources.Outcome{Version: v}, true, err)
				return
			}
		case entry != nil:
			c.respondLoaded(entry, nil)
			return
		}
	}
	out, err := c.h.Resources.Create(c.context(), typ, body, resources.CreateOptions{IfNoneExist: condition})
	c.respondWritten(out, true, err)
}

// createCondition returns the condition of a create, "" if there is none. Clients such as fhirpy send it
// as the query, as that of a conditional update.
func (c *call) createCondition() (string, error) {
	condition := c.r.Header.Get(headerIfNoneExist)
	if c.r.URL.RawQuery == "" {
		return condition, nil
	}
	params, err := resources.ParseQuery(c.r.URL.RawQuery)
	query := linkTo("", withoutControls(params), "", "")
	if query != "" && condition != "" {
		return "", problem(http.StatusBadRequest, "invalid", "the query and If-None-Exist both state a condition; send one of them")
	}
	return condition + query, err
}

// update stores the body under an id (PUT /T/id), whether or not the resource exists. Content
// equal to the stored content does not make a new version.
func (c *call) update() {
	typ, id := c.label.typ, c.target.id
	body, err := c.readDocument()
	if err != nil {
		c.fail(err)
		return
	}
	ctx := c.context()
	options, err := c.writeConditions(ctx, typ, id)
	if err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.Update(ctx, typ, id, body, options)
	c.respondWritten(out, out.Created, err)
}

// updateWhere replaces the one resource that a search finds with the body, or creates it
// (PUT /T?…).
func (c *call) updateWhere() {
	query, body, options, err := readConditional(c, c.readDocument)
	if err != nil {
		c.fail(err)
		return
	}
	out, err := c.h.Resources.UpdateWhere(c.context(), c.label.typ, query, body, options)
	c.respondWritten(out, true, err)
}

// readConditional reads the request of a conditional write: the search, the body as decoded by
// content, and the write conditions.
func readConditional[T any](c *call, content func() (T, error)) (query []search.Param, body T, options resources.UpdateOptions, err error) {
	if query, err = c.searchCondition(); err != nil {
		return query, body, options, err
	}
	if body, err = content(); err != nil {
		return query, body, options, err
	}
	options, err = c.searchWriteConditions()
	return query, body, options, err
}

// remove deletes a resource (DELETE /T/id). The status is 204 even if there is none. Resources
// loaded from files cannot be deleted.
func (c *call) remove() {
	typ, id := c.label.typ, c.target.id
	ctx := c.context()
	options, err := c.writeConditions(ctx, typ, id)
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
		c.noteOutcome(&out)
		c.setValidators(validators{versionTag(out.VersionID), out.LastUpdated})
	}
	c.empty(http.StatusNoContent)
}

// onlyLoaded returns an error if a resource is loaded from files and no stored one replaces it.
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
		"%s/%s is not in the resource store (origin: %s) and cannot be deleted; a PUT replaces it", typ, id, entry.Origin)
}

// absent reports whether an error means that the resource does not exist or is deleted.
func absent(err error) bool {
	return errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone)
}

// deleteWhere deletes the resource that a search finds, or several with Config.DeleteMany
// (DELETE /T?…). The status is 204 even if there is no match.
func (c *call) deleteWhere() {
	query, err := c.searchCondition()
	var options resources.UpdateOptions
	if err == nil {
		options, err = c.searchWriteConditions()
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
	for i := range deleted {
		c.noteOutcome(&deleted[i])
	}
	if len(deleted) == 1 {
		c.setValidators(validators{versionTag(deleted[0].VersionID), deleted[0].LastUpdated})
	}
	c.empty(http.StatusNoContent)
}

// respondWritten responds to a create, update or patch with the body that Prefer asks for. With
// located, the client may not know the id and gets a Location.
func (c *call) respondWritten(out resources.Outcome, located bool, err error) {
	if err != nil {
		c.fail(err)
		return
	}
	c.noteOutcome(&out)
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
	prefer := preference(c.r.Header["Prefer"], "return")
	if out.Body == nil && prefer != "operationoutcome" {
		prefer = "minimal" // the client may change the resource, but not read it
	}
	switch prefer {
	case "minimal":
		c.empty(status)
	case "operationoutcome":
		outcome := r4.OperationOutcome{Issue: append([]r4.Issue{{
			Severity: "information", Code: "informational",
			Diagnostics: out.Type + "/" + out.ID + " is stored as version " + version,
		}}, c.issuesOf(out.Issues)...)}
		c.fhir(status, outcome.AppendJSON(nil))
	default:
		c.respond(status, out.Body)
	}
}
