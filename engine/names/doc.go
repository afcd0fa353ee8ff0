// Package names finds the resource that a person means by a short name, such as icd-10-cm or
// snomed, among the resources that are loaded.
//
// A name is tried in this order, and the first step that finds anything decides:
//
//  1. the url of a resource;
//  2. its id;
//  3. its id, name, title, url or the last part of its url, and the names in the table of
//     well-known ones (known.go), without regard to case and punctuation;
//  4. a well-known name of a url that is not loaded;
//  5. a part of what step 3 compares.
//
// In each step, resources that are part of the program give way to others. If a step finds several
// urls, the name is ambiguous: no one of them is chosen. Versions are no part of a name: all versions
// of a url count as one resource.
package names
