package httpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// subset is a part of a resource that _summary or _elements asks for
// (R4 search.html#summary, #elements).
type subset struct {
	names []string // members kept, with without set: members left out
	not   bool
}

// summaries are the members of _summary=true: those that R4 marks as summary elements.
func summaryMembers(typ string) []string {
	shared := []string{
		"implicitRules", "url", "identifier", "version", "name", "title", "status", "experimental",
		"date", "publisher", "contact", "useContext", "jurisdiction",
	}
	switch typ {
	case "CodeSystem":
		return append(shared, "caseSensitive", "valueSet", "hierarchyMeaning", "compositional",
			"versionNeeded", "content", "supplements", "count", "filter", "property")
	case "ValueSet":
		return append(shared, "immutable")
	case "ConceptMap":
		return append(shared, "sourceUri", "sourceCanonical", "targetUri", "targetCanonical")
	}
	return shared
}

// newSubset gives the part that is asked for, nil for the whole.
func newSubset(typ, summary, elements string) (*subset, error) {
	switch summary {
	case "", "false":
	case "true":
		return &subset{names: summaryMembers(typ)}, nil
	case "text":
		return &subset{names: []string{"text", "status", "content", "url"}}, nil
	case "data":
		return &subset{names: []string{"text"}, not: true}, nil
	case "count":
		return nil, nil // for searches; a read gives the whole
	default:
		return nil, &operation.Problem{
			Status: http.StatusBadRequest, Code: "value", Expression: "http._summary",
			Text: fmt.Sprintf("_summary %q is none of true, text, data, count, false", cut(summary)),
		}
	}
	if elements == "" {
		return nil, nil
	}
	part := &subset{names: []string{"status", "content"}}
	for name := range strings.SplitSeq(elements, ",") {
		name = strings.TrimSpace(name)
		if of, rest, found := strings.Cut(name, "."); found {
			if of == typ {
				name = rest
			} else {
				name = of
			}
		}
		if name != "" {
			part.names = append(part.names, name)
		}
	}
	return part, nil
}

// keeps reports that a member of a resource stays.
func (s *subset) keeps(member string) bool {
	if member == "resourceType" || member == "id" || member == "meta" {
		return true
	}
	return slices.Contains(s.names, strings.TrimPrefix(member, "_")) != s.not
}

// of gives the part of a document, marked as SUBSETTED.
func (s *subset) of(doc []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	tagged := false
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		if !s.keeps(name) {
			continue
		}
		if name == "meta" {
			tagged = true
			if value, err = withTag(value); err != nil {
				return nil, err
			}
		}
		out = appendMember(out, name, value)
	}
	if !tagged {
		meta, err := withTag(nil)
		if err != nil {
			return nil, err
		}
		out = appendMember(out, "meta", meta)
	}
	return append(out, '}'), nil
}

func appendMember(out []byte, name string, value []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = r4.AppendString(out, name)
	out = append(out, ':')
	return append(out, value...)
}

// withTag adds the tag SUBSETTED to a meta element.
func withTag(meta []byte) ([]byte, error) {
	members := map[string]json.RawMessage{}
	var tags []json.RawMessage
	if len(meta) > 0 {
		if err := json.Unmarshal(meta, &members); err != nil {
			return nil, err
		}
		if tag := members["tag"]; tag != nil {
			if err := json.Unmarshal(tag, &tags); err != nil {
				return nil, err
			}
		}
	}
	tags = append(tags, json.RawMessage(`{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"SUBSETTED"}`))
	var err error
	if members["tag"], err = json.Marshal(tags); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}
