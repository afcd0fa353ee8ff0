// Package export runs the bulk jobs of a server in the background: exports, which write the resources
// of a store to files, and imports, which store those in files of other hosts.
//
// An export shows one state of the store, that of its start. Jobs survive the end of the process: Open
// continues those that were running, an export from the last page that it had written, an import from
// the file that it was reading.
//
// Source: https://hl7.org/fhir/uv/bulkdata/STU2/export.html,
// https://github.com/smart-on-fhir/bulk-import/blob/master/import-manifest.md.
package export
