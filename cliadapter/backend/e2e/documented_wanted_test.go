package e2e_test

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A wanted search is one with the resources it should find, and those that come along.
type wanted struct {
	target   string // path and query
	hits     []*record
	included []*record
}

// wantedSearches asks a parameter for values that the records have: one that most of them
// have, one in the middle and one that few have; each with what should be found. What
// matches is decided by the words of the specification alone.
func wantedSearches(records []*record, typ, name, kind, paths string) []wanted {
	switch kind {
	case "date":
		return wantedDates(records, typ, name, paths)
	case "string":
		return wantedStrings(records, typ, name, paths)
	}
	found := map[string][]*record{} // by what is asked
	for _, r := range records {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(exactValues(r, name, kind, paths)))) {
			found[value] = append(found[value], r)
		}
	}
	values := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(found[a]), len(found[b])), cmp.Compare(a, b))
	})
	if some := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(found[v]) == len(records) }); len(some) > 0 {
		values = some // what tells records apart, where there is such a value
	}
	var list []wanted
	for _, value := range spread(values) {
		list = append(list, wanted{target: typ + "?" + url.Values{name: {value}}.Encode(), hits: found[value]})
	}
	return list
}

// spread returns the first of a list, the middle one and the last two, which are often the
// same code without and with its system.
func spread[T any](list []T) []T {
	n := len(list)
	if n <= 4 {
		return list
	}
	return []T{list[0], list[n/2], list[n-2], list[n-1]}
}

// exactValues returns the values by which a record is found, in all forms.
func exactValues(r *record, name, kind, paths string) []string {
	var values []string
	add := func(system, value string) {
		if value == "" {
			return
		}
		values = append(values, escaped(value))
		if system != "" {
			values = append(values, escaped(system)+"|"+escaped(value))
		}
	}
	for path := range strings.FieldsSeq(paths) {
		for _, n := range r.body.at(path) {
			switch kind {
			case "token":
				for _, token := range tokensOf(n) {
					add(token[0], token[1])
				}
			case "telecom":
				add("", n.first("value"))
			case "email", "phone":
				if n.first("system") == kind {
					add("", n.first("value"))
				}
			case "reference":
				to := n.first("reference")
				add("", to)
				if name == "patient" && strings.HasPrefix(to, "Patient/") {
					add("", strings.TrimPrefix(to, "Patient/"))
				}
			case "uri":
				add("", n.text)
			case "canonical":
				bare, _, _ := strings.Cut(n.text, "|")
				values = append(values, bare, n.text)
			case "artifact":
				if n.first("type") == name {
					add("", n.first("resource"))
				}
			case "characteristic":
				for _, code := range tokensOf(n.get("code")) {
					for _, value := range n.at("valueBoolean") {
						values = append(values, escaped(code[0])+"|"+escaped(code[1])+"$"+value.text)
					}
					values = append(values, escaped(code[0])+"|"+escaped(code[1])) // of R4
				}
			}
		}
	}
	return values
}

// tokensOf returns system and value of what tokens are compared with.
func tokensOf(n *node) (tokens [][2]string) {
	if n.kind != '{' {
		return [][2]string{{"", n.text}}
	}
	if n.get("coding") == nil {
		n = &node{kind: '{', names: []string{"coding"}, content: []*node{n}}
	}
	for _, c := range n.at("coding") {
		tokens = append(tokens, [2]string{c.first("system"), cmp.Or(c.first("code"), c.first("value"))})
	}
	return tokens
}

// escaped writes a value so that none of it separates.
func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `$`, `\$`, `|`, `\|`).Replace(value)
}

// folded returns a text without case, accents and runs of white space.
func folded(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.Join(strings.Fields(text), " ")
}

// wantedStrings asks for the beginnings of texts.
func wantedStrings(records []*record, typ, name, paths string) []wanted {
	texts := map[*record][]string{}
	var asked []string
	for _, r := range records {
		for path := range strings.FieldsSeq(paths) {
			for _, n := range r.body.at(path) {
				for _, text := range stringsOf(n) {
					texts[r] = append(texts[r], folded(text))
					asked = append(asked, strings.ToUpper(text), string([]rune(text)[:min(4, len([]rune(text)))]))
				}
			}
		}
	}
	slices.Sort(asked)
	var list []wanted
	for _, value := range spread(slices.Compact(asked)) {
		w := wanted{target: typ + "?" + url.Values{name: {escaped(value)}}.Encode()}
		for _, r := range records {
			if slices.ContainsFunc(texts[r], func(text string) bool { return strings.HasPrefix(text, folded(value)) }) {
				w.hits = append(w.hits, r)
			}
		}
		list = append(list, w)
	}
	return list
}

// stringsOf returns the texts of a string, a HumanName or an Address.
func stringsOf(n *node) (texts []string) {
	if n.kind == '"' {
		return []string{n.text}
	}
	for _, part := range []string{"text", "family", "given", "prefix", "suffix", "line", "city", "district", "state", "country", "postalCode"} {
		for _, text := range n.at(part) {
			texts = append(texts, text.text)
		}
	}
	return texts
}

// A span is from a time to another one, which is not part of it.
type span struct{ from, to time.Time }

// spanOf returns the time that a date, a dateTime or a Period stands for.
func spanOf(n *node) span {
	if n.kind == '{' {
		s := span{time.Time{}, time.Unix(1<<40, 0)}
		if start := n.get("start"); start != nil {
			s.from = spanOf(start).from
		}
		if end := n.get("end"); end != nil {
			s.to = spanOf(end).to
		}
		return s
	}
	for _, layout := range []struct {
		text                string
		years, months, days int
		length              time.Duration
	}{
		{"2006", 1, 0, 0, 0}, {"2006-01", 0, 1, 0, 0}, {"2006-01-02", 0, 0, 1, 0}, {time.RFC3339, 0, 0, 0, time.Second},
	} {
		if at, err := time.Parse(layout.text, n.text); err == nil {
			return span{at, at.AddDate(layout.years, layout.months, layout.days).Add(layout.length)}
		}
	}
	panic("no date: " + n.text) // the data is wrong
}

// wantedDates searches for dates on, since and until a day in the middle of all dates, and between
// two days.
func wantedDates(records []*record, typ, name, paths string) []wanted {
	spans := map[*record][]span{}
	var starts []string
	for _, r := range records {
		for path := range strings.FieldsSeq(paths) {
			for _, n := range r.body.at(path) {
				s := spanOf(n)
				spans[r] = append(spans[r], s)
				if !s.from.IsZero() {
					starts = append(starts, s.from.UTC().Format(time.DateOnly))
				}
			}
		}
	}
	if len(starts) == 0 {
		return nil
	}
	slices.Sort(starts)
	early, middle, late := starts[len(starts)/4], starts[len(starts)/2], starts[len(starts)*3/4]
	// As R4 defines it, ge matches if the range above the value overlaps the range of the resource,
	// or the value contains it; le does the same with the range below.
	within := func(value span) func(span) bool {
		return func(s span) bool { return !s.from.Before(value.from) && !s.to.After(value.to) }
	}
	since := func(value span) func(span) bool {
		return func(s span) bool { return s.to.After(value.to) || within(value)(s) }
	}
	until := func(value span) func(span) bool {
		return func(s span) bool { return s.from.Before(value.from) || within(value)(s) }
	}
	day := func(text string) span { return spanOf(&node{kind: '"', text: text}) }
	var list []wanted
	for _, row := range []struct {
		values []string
		holds  []func(span) bool
	}{
		{[]string{middle}, []func(span) bool{within(day(middle))}},
		{[]string{middle[:4]}, []func(span) bool{within(day(middle[:4]))}},
		{[]string{"ge" + middle}, []func(span) bool{since(day(middle))}},
		{[]string{"le" + middle}, []func(span) bool{until(day(middle))}},
		{[]string{"ge" + early, "le" + late}, []func(span) bool{since(day(early)), until(day(late))}},
	} {
		w := wanted{target: typ + "?" + url.Values{name: row.values}.Encode()}
		for _, r := range records {
			all := true
			for _, holds := range row.holds {
				all = all && slices.ContainsFunc(spans[r], holds)
			}
			if all {
				w.hits = append(w.hits, r)
			}
		}
		list = append(list, w)
	}
	return list
}
