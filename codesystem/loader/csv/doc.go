// Package csv reads a code system from a table of comma- or tab-separated values,
// described by a mapping file: things.mapping.json beside things.csv. A mapping is JSON:
//
//	{
//	  "file": "things.csv",
//	  "delimiter": ",", "header": true,
//	  "url": "http://example.org/things", "version": "1", "title": "Things",
//	  "caseSensitive": true, "hierarchyMeaning": "is-a", "content": "complete",
//	  "code": "Code", "display": "Name", "definition": "Text",
//	  "parent": {"column": "Parents", "separator": ";"},
//	  "designations": [{"column": "Nom", "language": "fr"},
//	                   {"column": "Short", "language": "en", "separator": "|",
//	                    "use": {"system": "http://example.org/use", "code": "short"}}],
//	  "properties": [{"column": "Weight", "code": "weight", "type": "decimal", "description": "In grams"}],
//	  "inactive": {"column": "Status", "values": ["retired", "old"]},
//	  "skip": [{"column": "Kind", "values": ["heading"]}]
//	}
//
// Only code and url are required. A column is given by its name in the first row, or by
// its number from 1; in tables without header ("header": false) by number.
//
//   - file lies beside or below the mapping; without it, the table has the name of the
//     mapping with .csv, .tsv or .txt, and perhaps .gz. The delimiter is a tab for .tsv,
//     otherwise a comma.
//   - url, version, name, title, status, date, publisher, description, copyright,
//     language, caseSensitive, hierarchyMeaning and content are those of the CodeSystem.
//   - The hierarchy comes from parent, a column with codes; or from level, a column with
//     numbers: a row lies below the nearest one before it with a lower number; or from
//     prefix: true puts a code below the longest other code that begins it, and a list of
//     lengths such as [1, 3, 5] below its first characters of the next smaller length.
//   - separator splits a field into several values.
//   - A property has the type code, string, integer, decimal, boolean or dateTime; the
//     code is the name of the column where none is given, the type string. Boolean values
//     are true and false, also written yes and no, y and n, 1 and 0.
//   - inactive, abstract and skip (the row is skipped) hold when the column has one of
//     the values, without regard to case; without values, when it is true, yes, y or 1.
//
// Fields are quoted according to RFC 4180, in tables with tabs too. White space around them is
// ignored, and empty fields have no value.
package csv
