package httpadapter

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// transaction runs the entries of a Bundle atomically (R4 http.html#transaction).
func (c *call) transaction(b *resources.Bundle) {
	c.label.action = "transaction"
	for i := range b.Entries {
		if err := c.checkOperation(&b.Entries[i]); err != nil {
			c.fail(&resources.EntryError{Index: i, Err: err})
			return
		}
	}
	answers := make([]*entryResponse, len(b.Entries))
	held := 0 // bytes of the responses to GETs
	ctx := c.context()
	outcomes, err := c.h.Resources.Transaction(ctx, b, resources.TransactionOptions{
		Answer: func(ctx context.Context, i int, entry *resources.BundleEntry) error {
			if a := answers[i]; a != nil { // the transaction is retried
				held -= a.body.Len()
				c.account.Give(a.held)
			}
			c.exclusive = true
			defer func() { c.exclusive = false }()
			answers[i] = c.answerEntry(ctx, entry)
			if held += answers[i].body.Len(); held > c.h.maxTransactionReads {
				return problem(http.StatusRequestEntityTooLarge, "too-costly",
					"the responses to the GETs of the transaction exceed %d bytes; send the GETs as a batch", c.h.maxTransactionReads)
			}
			return answers[i].failure()
		},
	})
	if err != nil {
		c.fail(err)
		return
	}
	out := newBundle(c, "transaction-response")
	for i := range b.Entries {
		a := answers[i]
		if a == nil {
			a = c.newEntryResponse()
			a.fillWritten(&b.Entries[i], &outcomes[i])
			c.recordWritten(&b.Entries[i], &outcomes[i], a)
		}
		c.recordEntry(i, &b.Entries[i], a)
		out.begin()
		out.response(a)
		if out.flush() != nil {
			return // the client has gone
		}
	}
	out.close()
}

// checkOperation returns an error for an entry of a transaction whose operation is unknown, or changes
// something, which could not be undone if the transaction fails.
func (c *call) checkOperation(e *resources.BundleEntry) error {
	if !e.IsOperation() {
		return nil
	}
	typ := ""
	rest, _, _ := strings.Cut(strings.TrimPrefix(e.URL, "/"), "?")
	if rest[0] != '$' {
		typ, rest, _ = strings.Cut(rest, "/")
	}
	at := targetOf("/" + rest)
	op := c.h.operationsByType[typ].named(at.id != "")[at.last]
	if stored := c.h.resourceOperation(typ, at.last, at.id != ""); stored != nil {
		op = &stored.Operation
	}
	switch {
	case op == nil:
		return problem(http.StatusBadRequest, "not-supported", "there is no operation at request.url %q", cut(e.URL))
	case op.AffectsState:
		return problem(http.StatusUnprocessableEntity, "not-supported",
			"a transaction cannot contain $%s, because it changes something; send it alone or in a batch", op.Name)
	}
	return nil
}

// fillWritten sets the response to a change that a transaction has made.
func (a *entryResponse) fillWritten(entry *resources.BundleEntry, o *resources.Outcome) {
	a.status = http.StatusOK
	switch {
	case entry.Method == http.MethodDelete:
		a.status = http.StatusNoContent
	case o.Created:
		a.status = http.StatusCreated
	}
	if len(o.Issues) > 0 {
		outcome := r4.OperationOutcome{Issue: a.call.issuesOf(o.Issues)}
		a.warnings = outcome.AppendJSON(nil)
	}
	if o.VersionID == 0 {
		return // there was nothing to delete
	}
	version := versionTag(o.VersionID)
	a.header["Etag"] = []string{version}
	a.modified = o.LastUpdated
	if entry.Method == http.MethodDelete {
		return
	}
	a.header["Location"] = []string{a.call.base() + "/" + o.Type + "/" + o.ID + "/_history/" + strconv.FormatInt(o.VersionID, 10)}
	if o.Body != nil && preference(a.call.r.Header["Prefer"], "return") != "minimal" {
		body, err := a.call.spoken(o.Body)
		if err != nil {
			return // the resource can be read elsewhere
		}
		a.body.Write(body)
	}
}
