package resources

import (
	"time"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/validate"
)

// Outcome is what became of one resource.
type Outcome struct {
	// Version is the current version afterwards: the one stored, the one that was there
	// already, or the deletion.
	Version
	// Created reports whether there was no such resource before, or a deleted one.
	Created bool
	// Changed reports whether a version was stored. It is false when the content is what was
	// stored already (compared without white space, id, versionId and lastUpdated), when a
	// conditional create found its match, and when there was nothing to delete.
	Changed bool
	// Issues are what validation found that did not keep the document from being stored.
	Issues []validate.Issue
}

// CreateOptions are the conditions of a create.
type CreateOptions struct {
	// IfNoneExist is a search string, such as identifier=http://example.org|1: the resource is
	// created only when nothing of its type matches. What matches is the outcome otherwise,
	// unless it is more than one: ErrMultipleMatches. "" means no condition.
	IfNoneExist string
}

// UpdateOptions are the conditions of an update, patch or delete.
type UpdateOptions struct {
	// IfMatch, when not nil, is the version that must be current, else ErrConflict.
	IfMatch *int64
	// IfNoneMatch demands that there is no such resource yet, or a deleted one, else
	// ErrConflict (If-None-Match: *). It is for updates.
	IfNoneMatch bool
}

// A Patch makes a new document of one that is stored.
type Patch = patch.Patch

// HistoryRequest asks for versions, newest first, deletions included.
type HistoryRequest struct {
	Type, ID string    // both: of one resource; only Type: of a type; none: of the system
	Since    time.Time // only versions stored at that time or later; zero means all
	// At, when not nil, leaves versions that were current at some time of the period.
	At     *Period
	Count  int    // most versions of the page; 0 means all
	Cursor string // HistoryPage.Next of the page before; "" for the first
}

// Period is a stretch of time: From <= t < To.
type Period struct{ From, To time.Time }

// HistoryPage is a page of a history.
type HistoryPage struct {
	Versions []Version
	// Total is how many versions there are on all pages, nil when it was not counted: of one
	// resource it always is.
	Total *int
	// Next is the cursor of the next page, "" on the last.
	Next string
}

// EverythingRequest asks for a resource and all of its compartment (Patient/$everything).
type EverythingRequest struct {
	Type, ID string
	Types    []string  // only resources of these types; none means all
	Since    time.Time // only versions stored at that time or later; zero means all
	// Start and End are FHIR dates: only resources whose date of care is not before Start and
	// not after End, and those that have no such date. "" means no bound.
	Start, End string
	Count      int    // most resources of the page; 0 means all
	Cursor     string // EverythingPage.Next of the page before; "" for the first
	// Bases are the base urls of this server, without a slash at the end: an absolute reference
	// that begins with one is to a resource here.
	Bases []string
}

// EverythingPage is a page of what is in a compartment: the resource it belongs to first,
// then the others, newest first. All pages show the state of the first.
type EverythingPage struct {
	Versions []Version
	Total    int    // on all pages
	Next     string // "" on the last page
}

// VersionOf returns a record, which was read with its body, as a version.
func VersionOf(r *index.Record) Version {
	return Version{
		Key:         Key{Type: r.Type, ID: r.ID},
		VersionID:   r.VersionID,
		LastUpdated: r.LastUpdated,
		Deleted:     r.Deleted,
		Body:        r.Body,
	}
}
