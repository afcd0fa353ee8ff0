package rf2

import "strings"

// A kind is the content of a file.
type kind uint8

const (
	concepts kind = iota + 1
	descriptions
	relationships
	concreteValues
	languageRefset
	moduleDependencies // also an ordinary reference set
	refset
)

// A releaseType is the selection of rows in a file.
type releaseType uint8

const (
	snapshot releaseType = iota // the latest row of each component
	full                        // all rows
	delta                       // the rows that are new since an earlier release
	releaseTypes
)

// releaseNames are the words in file names.
var releaseNames = [releaseTypes]string{snapshot: "Snapshot", full: "Full", delta: "Delta"}

func (t releaseType) String() string { return releaseNames[t] }

// A fileName is the parsed name of a release file:
//
//	x sct2 _ Description _ Snapshot-en _ INT _ 20250101 .txt
//	x der2 _ cciRefset _ RefsetDescriptorFull _ INT _ 20250101 .txt
type fileName struct {
	kind        kind
	release     releaseType
	letters     string // types of the further columns of a reference set: c, i, s
	unpublished bool   // x at the beginning: not a published release
}

// parseName parses the name of a file. It returns false for files that are not read: other names,
// identifiers, and stated relationships and OWL expressions, from which the inferred relationships
// follow.
func parseName(base string) (n fileName, ok bool) {
	stem, ok := strings.CutSuffix(base, ".txt")
	if !ok {
		return n, false
	}
	stem, n.unpublished = strings.CutPrefix(stem, "x")
	parts := strings.Split(stem, "_")
	if len(parts) < 3 || parts[0] != "sct2" && parts[0] != "der2" {
		return n, false
	}
	content, _, _ := strings.Cut(parts[2], "-")
	summary, ok := "", false
	for t, word := range releaseNames {
		if summary, ok = strings.CutSuffix(content, word); ok {
			n.release = releaseType(t)
			break
		}
	}
	if !ok {
		return n, false
	}
	n.kind, n.letters = kindOf(parts[1], summary)
	return n, n.kind != 0
}

// kindOf returns the kind of a file by its content type and the summary after it.
func kindOf(content, summary string) (_ kind, letters string) {
	switch content {
	case "Concept":
		return concepts, ""
	case "Description", "TextDefinition":
		return descriptions, ""
	case "Relationship":
		return relationships, ""
	case "RelationshipConcreteValues":
		return concreteValues, ""
	}
	letters, ok := strings.CutSuffix(content, "Refset")
	switch {
	case !ok, strings.Contains(summary, "OWL"):
		return 0, ""
	case strings.Contains(summary, "Language"):
		return languageRefset, letters
	case strings.Contains(summary, "ModuleDependency"):
		return moduleDependencies, letters
	}
	return refset, letters
}
