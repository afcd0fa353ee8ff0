package httpadapter

import (
	"context"
	"net/http"
	"strconv"

	"github.com/roget-health/roget/resources"
)

// transaction runs the entries of a Bundle atomically (R4 http.html#transaction).
func (c *call) transaction(b *resources.Bundle) {
	c.label.action = "transaction"
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

// fillWritten sets the response to a change that a transaction has made.
func (a *entryResponse) fillWritten(entry *resources.BundleEntry, o *resources.Outcome) {
	a.status = http.StatusOK
	switch {
	case entry.Method == http.MethodDelete:
		a.status = http.StatusNoContent
	case o.Created:
		a.status = http.StatusCreated
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
