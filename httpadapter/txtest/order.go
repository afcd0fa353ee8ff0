package txtest

import (
	"cmp"
	"slices"
	"strings"
)

// sortAnswer sorts the lists of a response whose order has no meaning. Expected responses are
// written in this order.
func sortAnswer(resource object) {
	switch text(resource, "resourceType") {
	case "Parameters":
		sortParameters(resource)
	case "ValueSet":
		sortBy(resource, "extension", by("url"))
		expansion := member(resource, "expansion")
		sortBy(expansion, "extension", by("url"))
		sortBy(expansion, "parameter", func(o object) []string { return []string{plain(o["name"]), plain(valueOf(o))} })
		sortBy(expansion, "property", by("uri", "code"))
		sortContains(expansion)
	}
}

func sortContains(holder object) {
	sortBy(holder, "contains", by("code"))
	for _, item := range objects(holder, "contains") {
		sortBy(item, "extension", by("url"))
		sortBy(item, "property", by("code"))
		if designations, ok := item["designation"].(list); ok {
			insertionSort(designations, designationLess)
		}
		sortContains(item)
	}
}

func sortParameters(resource object) {
	sortParameterList(resource, "parameter")
	for _, p := range objects(resource, "parameter") {
		switch inner := member(p, "resource"); text(inner, "resourceType") {
		case "OperationOutcome":
			sortBy(inner, "issue", issueKey)
		case "Parameters":
			sortParameters(inner)
		}
		if message, ok := p["valueString"].(string); ok && text(p, "name") == "message" {
			texts := strings.Split(message, "; ")
			slices.Sort(texts)
			p["valueString"] = strings.Join(texts, "; ")
		}
	}
}

// sortParameterList sorts parameters by name, properties also by code and value, and designations
// also by language. A list with one entry stays unchanged, including its parts.
func sortParameterList(holder object, key string) {
	entries, _ := holder[key].(list)
	if len(entries) < 2 {
		return
	}
	for _, p := range objectsOf(entries) {
		sortParameterList(p, "part")
	}
	sortBy(holder, key, parameterKey)
}

func parameterKey(p object) []string {
	parts := map[string]string{}
	for _, part := range objects(p, "part") {
		parts[text(part, "name")] = strings.ToLower(plain(valueOf(part)))
	}
	switch name := text(p, "name"); name {
	case "property":
		return []string{name, parts["code"], parts["value"]}
	case "designation":
		return []string{name, parts["language"], ""}
	default:
		return []string{name, "", ""}
	}
}

func issueKey(issue object) []string {
	expression := ""
	if expressions := names(issue, "expression"); len(expressions) > 0 {
		expression = expressions[0]
	}
	return []string{text(issue, "severity"), text(issue, "code"), expression, text(member(issue, "details"), "text")}
}

// by returns a function that makes a sort key of members.
func by(keys ...string) func(object) []string {
	return func(o object) []string {
		values := make([]string, len(keys))
		for i, key := range keys {
			values[i] = plain(o[key])
		}
		return values
	}
}

// sortBy sorts a list member. Entries with equal keys keep their order.
func sortBy(holder object, member string, key func(object) []string) {
	entries, ok := holder[member].(list)
	if !ok {
		return
	}
	slices.SortStableFunc(entries, func(a, b any) int {
		x, _ := a.(object)
		y, _ := b.(object)
		return slices.Compare(key(x), key(y))
	})
}

// designationLess compares designations by language if both have one, else by value. It is not
// transitive, so the result depends on the sorting algorithm.
func designationLess(a, b any) bool {
	x, _ := a.(object)
	y, _ := b.(object)
	_, first := x["language"]
	_, second := y["language"]
	key := "value"
	if first && second {
		key = "language"
	}
	return cmp.Less(text(x, key), text(y, key))
}

// insertionSort sorts as the merge sorts of other languages sort short lists: it keeps the first
// run (a descending one is reversed) and inserts each further entry by binary search.
func insertionSort(entries list, less func(a, b any) bool) {
	if len(entries) < 2 {
		return
	}
	sorted := 2
	if less(entries[1], entries[0]) {
		for sorted < len(entries) && less(entries[sorted], entries[sorted-1]) {
			sorted++
		}
		slices.Reverse(entries[:sorted])
	} else {
		for sorted < len(entries) && !less(entries[sorted], entries[sorted-1]) {
			sorted++
		}
	}
	for ; sorted < len(entries); sorted++ {
		entry := entries[sorted]
		low, high := 0, sorted
		for low < high {
			if middle := (low + high) / 2; less(entry, entries[middle]) {
				high = middle
			} else {
				low = middle + 1
			}
		}
		copy(entries[low+1:sorted+1], entries[low:sorted])
		entries[low] = entry
	}
}
