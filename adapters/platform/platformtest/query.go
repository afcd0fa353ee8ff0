package platformtest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// query returns a list of objects as the query parameters ask.
func (p *Platform) query(r *request, plural string, objects []Object) answer {
	q := r.URL.Query()
	fields, err := parseFields(either(strings.Join(q["fields"], ","), "id,displayName"))
	if err == nil {
		objects, err = p.selected(plural, objects, q)
	}
	if err == nil {
		err = sorted(objects, q["order"])
	}
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	body := Object{}
	if q.Get("paging") != "false" {
		number, size := positive(q.Get("page"), 1), positive(q.Get("pageSize"), 50)
		total := len(objects)
		body["pager"] = Object{"page": number, "total": total, "pageSize": size, "pageCount": (total + size - 1) / size}
		from := min((number-1)*size, total)
		objects = objects[from:min(from+size, total)]
	}
	list := make([]any, 0, len(objects))
	for _, o := range objects {
		list = append(list, p.project(translated(o, q), fields))
	}
	body[plural] = list
	return found(body)
}

func positive(given string, fallback int) int {
	if n, err := strconv.Atoi(given); err == nil && n > 0 && n < 1<<20 {
		return n
	}
	return fallback
}

// translated returns an object with its display name in the requested language.
func translated(o Object, q url.Values) Object {
	locale := q.Get("locale")
	list, _ := o["translations"].([]any)
	for _, each := range list {
		t, _ := each.(Object)
		if locale != "" && q.Get("translate") != "false" && t["locale"] == locale && t["property"] == "NAME" {
			o["displayName"] = t["value"]
		}
	}
	return o
}

// selected returns the objects that match the filters, in the shape of the major.
func (p *Platform) selected(plural string, objects []Object, q url.Values) ([]Object, error) {
	or := q.Get("rootJunction") == "OR"
	matches := []Object{}
	for _, o := range objects {
		o = p.shape(plural, o)
		passed := 0
		for _, filter := range q["filter"] {
			ok, err := p.passes(o, filter)
			if err != nil {
				return nil, err
			}
			if ok {
				passed++
			}
		}
		asked := strings.ToLower(q.Get("query"))
		named := strings.Contains(strings.ToLower(text(o, "displayName")+"\n"+text(o, "username")), asked)
		if named && (passed == len(q["filter"]) || or && passed > 0) {
			matches = append(matches, o)
		}
	}
	return matches, nil
}

// passes reports whether an object matches a filter, property:operator:value.
func (p *Platform) passes(o Object, filter string) (bool, error) {
	parts := strings.SplitN(filter, ":", 3)
	if len(parts) < 2 {
		return false, fmt.Errorf("invalid filter => %s", filter)
	}
	operator, value := parts[1], ""
	if len(parts) == 3 {
		value = parts[2]
	}
	values := p.values(o, strings.Split(parts[0], "."))
	switch operator {
	case "null":
		return len(values) == 0, nil
	case "!null":
		return len(values) > 0, nil
	case "empty":
		return len(values) == 0 || len(values) == 1 && values[0] == "", nil
	}
	base, negative := strings.CutPrefix(operator, "!")
	match := operators[base]
	if match == nil || len(parts) < 3 {
		return false, fmt.Errorf("invalid filter => %s", filter)
	}
	hit := slices.ContainsFunc(values, func(v any) bool { return match(v, value) })
	return hit != negative, nil
}

// operators are the operators of filters. A ! before them negates.
var operators = map[string]func(have any, want string) bool{
	"eq":     func(have any, want string) bool { return compare(have, want) == 0 },
	"ieq":    func(have any, want string) bool { return strings.EqualFold(fmt.Sprint(have), want) },
	"like":   func(have any, want string) bool { return strings.Contains(fmt.Sprint(have), want) },
	"ilike":  func(have any, want string) bool { return strings.Contains(lower(have), lower(want)) },
	"$like":  func(have any, want string) bool { return strings.HasPrefix(fmt.Sprint(have), want) },
	"$ilike": func(have any, want string) bool { return strings.HasPrefix(lower(have), lower(want)) },
	"like$":  func(have any, want string) bool { return strings.HasSuffix(fmt.Sprint(have), want) },
	"ilike$": func(have any, want string) bool { return strings.HasSuffix(lower(have), lower(want)) },
	"gt":     func(have any, want string) bool { return compare(have, want) > 0 },
	"ge":     func(have any, want string) bool { return compare(have, want) >= 0 },
	"lt":     func(have any, want string) bool { return compare(have, want) < 0 },
	"le":     func(have any, want string) bool { return compare(have, want) <= 0 },
	"in": func(have any, want string) bool {
		list, _ := strings.CutPrefix(strings.TrimSuffix(want, "]"), "[")
		return slices.Contains(strings.Split(list, ","), fmt.Sprint(have))
	},
	"token": func(have any, want string) bool {
		words := strings.Fields(lower(have))
		for _, wanted := range strings.Fields(lower(want)) {
			if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, wanted) }) {
				return false
			}
		}
		return true
	},
}

func lower(v any) string { return strings.ToLower(fmt.Sprint(v)) }

// compare compares numbers as numbers, other values as text.
func compare(have any, want string) int {
	if number, ok := have.(float64); ok {
		if wanted, err := strconv.ParseFloat(want, 64); err == nil {
			switch {
			case number < wanted:
				return -1
			case number > wanted:
				return 1
			}
			return 0
		}
	}
	return strings.Compare(fmt.Sprint(have), want)
}

// values returns the values at a path in an object, including the items of lists.
func (p *Platform) values(v any, path []string) []any {
	switch here := v.(type) {
	case []any:
		var all []any
		for _, each := range here {
			all = append(all, p.values(each, path)...)
		}
		return all
	case Object:
		if len(path) == 0 {
			return []any{here}
		}
		next := p.whole(here)[path[0]]
		return p.values(next, path[1:])
	}
	if v == nil || len(path) > 0 {
		return nil
	}
	return []any{v}
}

// sorted sorts objects by property:asc, :desc, :iasc or :idesc.
func sorted(objects []Object, orders []string) error {
	for _, order := range slices.Backward(orders) {
		name, direction, _ := strings.Cut(order, ":")
		fold := strings.HasPrefix(direction, "i")
		direction = strings.TrimPrefix(either(direction, "asc"), "i")
		if direction != "asc" && direction != "desc" {
			return errors.New("invalid order => " + order)
		}
		slices.SortStableFunc(objects, func(a, b Object) int {
			have, want := a[name], fmt.Sprint(b[name])
			if fold {
				have, want = lower(have), lower(want)
			}
			n := compare(have, want)
			if direction == "desc" {
				return -n
			}
			return n
		})
	}
	return nil
}
