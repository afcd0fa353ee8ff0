package resources

import (
	"time"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/validate"
)

// An Outcome is the result of a change of one resource.
type Outcome struct {
	// Version is the current version after the change: the stored version, the one that already
	// existed, or the deletion.
	Version
	// Created reports whether the resource did not exist before, or was deleted.
	Created bool
	// Changed reports whether a version was stored. It is false if the content is already stored
	// (compared without white space, id, versionId and lastUpdated), if a conditional create found
	// its match, and if there was nothing to delete.
	Changed bool
	// Issues are the issues of validation that did not prevent storing the document.
	Issues []validate.Issue
}

// CreateOptions are the conditions of a create.
type CreateOptions struct {
	// IfNoneExist is a search string, such as identifier=http://example.org|1. The resource is
	// created only if nothing of its type matches. Otherwise the match is the outcome, or the error
	// is ErrMultipleMatches. "" means no condition.
	IfNoneExist string
}

// UpdateOptions are the conditions of an update, patch or delete.
type UpdateOptions struct {
	// IfMatch, if not nil, is the version that must be current; otherwise ErrConflict.
	IfMatch *int64
	// IfNoneMatch requires that the resource does not exist or is deleted (If-None-Match: *);
	// otherwise ErrConflict. It applies to updates.
	IfNoneMatch bool
}

// A Patch makes a new document from a stored one.
type Patch = patch.Patch

// A HistoryRequest asks for versions, newest first, including deletions.
type HistoryRequest struct {
	Type, ID string    // both: one resource; only Type: a type; none: the system
	Since    time.Time // only versions stored at or after this time; zero means all
	// At, if not nil, selects versions that were current at some time within the period.
	At     *Period
	Count  int    // maximum versions per page; 0 means all
	Cursor string // HistoryPage.Next of the previous page; "" for the first
}

// A Period is a span of time: From <= t < To.
type Period struct{ From, To time.Time }

// A HistoryPage is a page of a history.
type HistoryPage struct {
	Versions []Version
	// Created are the versions that created their resource: the first, and those after a deletion.
	Created []bool
	// Total is the number of versions on all pages. It is always counted for one resource, and nil
	// otherwise.
	Total *int
	// Next is the cursor of the next page, "" on the last.
	Next string
}

// An EverythingRequest asks for a resource and its compartment (Patient/$everything).
type EverythingRequest struct {
	Type, ID string    // ID "" means all resources of the type
	Types    []string  // only resources of these types; none means all
	Since    time.Time // only versions stored at or after this time; zero means all
	// Start and End are FHIR dates. They select resources whose date of care is not before Start
	// and not after End, and resources without such a date. "" means no bound.
	Start, End string
	Count      int    // maximum resources per page; 0 means all
	Cursor     string // EverythingPage.Next of the previous page; "" for the first
	// Bases are the base URLs of this server, without a trailing slash. An absolute reference that
	// begins with one of them refers to a resource of this server.
	Bases []string
}

// An EverythingPage is a page of a compartment and what its members refer to: first the resource that
// owns it, then the others, newest first. All pages show the state of the first page.
type EverythingPage struct {
	Versions []Version
	Total    *int   // on all pages, nil if the request has no id
	Next     string // "" on the last page
}

// VersionOf converts a record, read with its body, to a version.
func VersionOf(r *index.Record) Version {
	return Version{
		Key:         Key{Type: r.Type, ID: r.ID},
		VersionID:   r.VersionID,
		LastUpdated: r.LastUpdated,
		Deleted:     r.Deleted,
		Body:        r.Body,
	}
}
