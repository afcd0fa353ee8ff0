package resources

import (
	"context"
)

// A Bundle is a collection of resources, or of requests, in one document.
//
// Source: https://hl7.org/fhir/R4/bundle.html.
type Bundle struct {
	// Type is Bundle.type: transaction, batch, collection, searchset, history, document, message.
	Type    string
	Entries []BundleEntry
}

// BundleEntry is one entry of a Bundle. Elements that are absent are "" and nil.
type BundleEntry struct {
	FullURL string
	// Resource is the document as it stands in the bundle. It shares its bytes.
	Resource []byte
	// Method, URL and the conditions are Bundle.entry.request.
	Method, URL     string
	IfNoneExist     string // a search string
	IfMatch         string // an entity tag, W/"1"
	IfNoneMatch     string // an entity tag, or *
	IfModifiedSince string // an instant
}

// TransactionOptions are for Service.Transaction.
type TransactionOptions struct {
	// Answer reads what a GET entry asks for, and is called for each of them in their order
	// after all changes. What it reads from the Service with ctx is the state within the
	// transaction. It may be called again when the transaction has to start anew. nil refuses
	// transactions with a GET.
	Answer func(ctx context.Context, i int, entry *BundleEntry) error
}

// EntryError tells which entry of a bundle made it fail.
type EntryError struct {
	Index int // from 0
	Err   error
}
