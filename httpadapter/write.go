package httpadapter

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// create stores the body as a new resource (POST /T). With If-None-Exist it does so only
// when no resource matches that search.
func (c *call) create() {
	typ := c.label.typ
	body, ok := c.document(typ)
	if !ok {
		return
	}
	if condition := c.r.Header.Get("If-None-Exist"); condition != "" {
		found, err := c.matching(typ, condition)
		switch {
		case err != nil:
			c.fail(err)
			return
		case len(found) > 1:
			c.refuse(http.StatusPreconditionFailed, "multiple-matches", "%d resources match If-None-Exist", len(found))
			return
		case len(found) == 1:
			c.read(found[0].Header.ID)
			return
		}
	}
	v, err := c.h.Resources.Create(c.context(), typ, body, resources.CreateOptions{})
	if err != nil {
		c.fail(err)
		return
	}
	c.written(http.StatusCreated, v.Version)
}

// update stores the body under an id (PUT /T/id), new or not. Content that is what is
// stored already keeps its version.
func (c *call) update(id string) {
	typ := c.label.typ
	body, ok := c.document(typ)
	if !ok {
		return
	}
	ctx := c.context()
	expected, err := c.expectedVersion(ctx, typ, id)
	if err != nil {
		c.fail(err)
		return
	}
	v, err := c.h.Resources.Update(ctx, typ, id, body, resources.UpdateOptions{IfMatch: expected})
	switch {
	case err != nil:
		c.fail(err)
	case v.Created:
		c.written(http.StatusCreated, v.Version)
	default:
		c.written(http.StatusOK, v.Version)
	}
}

// remove deletes a resource (DELETE /T/id): 204, also when there is none. What was loaded
// from files cannot be deleted.
func (c *call) remove(id string) {
	typ := c.label.typ
	if !c.writable(typ) {
		return
	}
	ctx := c.context()
	expected, err := c.expectedVersion(ctx, typ, id)
	if err != nil {
		c.fail(err)
		return
	}
	if !resources.ValidID(id) {
		c.empty(http.StatusNoContent) // there is no such resource
		return
	}
	_, err = c.h.Resources.Read(ctx, typ, id)
	if errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone) {
		if entry, found := c.h.Engine.Entry(typ, id); found && !entry.Stored {
			c.refuse(http.StatusConflict, "conflict",
				"%s/%s is loaded (%s), not stored here: it cannot be deleted; a PUT puts another in its place", typ, id, entry.Origin)
			return
		}
	}
	v, err := c.h.Resources.Delete(ctx, typ, id, resources.UpdateOptions{IfMatch: expected})
	if err != nil {
		c.fail(err)
		return
	}
	if v.Changed {
		validators{versionTag(v.VersionID), v.LastUpdated}.set(c.w.Header())
	}
	c.empty(http.StatusNoContent)
}

// writable answers 405 for a type that is not stored here.
func (c *call) writable(typ string) bool {
	if c.h.stored[typ] {
		return true
	}
	c.notAllowed(loadedMethods)
	return false
}

// document reads the body of a create or update. When ok is false it has answered.
func (c *call) document(typ string) (body []byte, ok bool) {
	if !c.writable(typ) {
		return nil, false
	}
	_, err := c.agreed()
	media := ""
	if err == nil {
		media, err = c.mediaType()
	}
	if err == nil && media == mediaForm {
		err = unsupportedMedia("a resource is sent as " + mediaFHIR)
	}
	if err == nil {
		body, err = c.body(nil)
	}
	if err == nil && len(body) == 0 {
		err = &operation.Problem{Status: http.StatusBadRequest, Code: "structure", Text: "the body is empty"}
	}
	if err != nil {
		c.fail(err)
		return nil, false
	}
	return body, true
}

// written answers a create or update, with the body that Prefer asks for.
func (c *call) written(status int, v resources.Version) {
	header := c.w.Header()
	validators{versionTag(v.VersionID), v.LastUpdated}.set(header)
	if status == http.StatusCreated {
		header["Location"] = []string{c.base() + "/" + v.Type + "/" + v.ID + "/_history/" + strconv.FormatInt(v.VersionID, 10)}
	}
	switch preference(c.r.Header["Prefer"], "return") {
	case "minimal":
		c.empty(status)
	case "operationoutcome":
		outcome := r4.OperationOutcome{Issue: []r4.Issue{{
			Severity: "information", Code: "informational",
			Diagnostics: v.Type + "/" + v.ID + " is stored as version " + strconv.FormatInt(v.VersionID, 10),
		}}}
		c.fhir(status, outcome.AppendJSON(nil))
	default:
		c.fhir(status, v.Body)
	}
}
