// Package export runs bulk exports: jobs that write the resources of a store to files, in the
// background.
//
// A job shows one state of the store, that of its start. It survives the end of the process: Open
// continues the jobs that were running, from the last page that they had written.
//
// Source: https://hl7.org/fhir/uv/bulkdata/STU2/export.html.
package export
