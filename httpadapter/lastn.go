package httpadapter

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
)

// maxLastN bounds the Observations that $lastn reads.
const maxLastN = 10_000

// lastNOperation is $lastn of Observation.
var lastNOperation = resourceOperation{
	Operation: operation.Operation{
		Name: "lastn", Type: "Observation",
		Summary: "The last Observations of each code",
		Doc: "Returns the most recent Observations of a patient, grouped by their codes: codes are equal if one of their Codings is, or their text if there is none. " +
			"All search parameters of Observation select what is looked at, of which there may be 10,000.",
		Spec: "https://hl7.org/fhir/R4/observation-operation-lastn.html",
		In: []operation.Param{
			{Name: "max", Type: "positiveInt", Doc: "The number of Observations of each code; 1 by default."},
			{Name: "patient", Type: "string", Doc: "The patient; this or subject is needed."},
			{Name: "subject", Type: "string", Doc: "The subject; this or patient is needed."},
			{Name: "category", Type: "string", Doc: "The category, as in a search."},
			{Name: "code", Type: "string", Doc: "The code, as in a search."},
		},
		Out: []operation.Param{{Name: "return", Type: "Bundle", Min: 1, Doc: "A searchset, the most recent first."}},
	},
	onType: true, raw: true,
	run: func(c *call, _ *operation.Input) { c.lastN() },
}

// lastN runs $lastn.
func (c *call) lastN() {
	params, err := c.lastNParams()
	most := 1
	var used []search.Param
	about := false
	for _, p := range params {
		switch {
		case p.Name == "max":
			if most, err = strconv.Atoi(p.Value); err != nil || most < 1 {
				c.fail(operation.Invalid("max", strconv.Quote(cut(p.Value))+" is not a number from 1"))
				return
			}
		case strings.HasPrefix(p.Name, "_"):
			c.fail(operation.Invalid(p.Name, "it is not supported here"))
			return
		default:
			name, _, _ := strings.Cut(p.Name, ":")
			about = about || name == "patient" || name == "subject"
			used = append(used, p)
		}
	}
	if err == nil && !about {
		err = operation.Missing("patient", "whose Observations are meant, as patient or subject")
	}
	if err != nil {
		c.fail(err)
		return
	}
	list, err := c.lastOf(used, most)
	if err != nil {
		c.fail(err)
		return
	}
	b := newBundle(c, "searchset")
	total := len(list)
	b.head(&total, []link{{"self", linkTo(c.base()+"/Observation/$lastn", params, "", "")}})
	for i := range list {
		b.found(&list[i], nil, "match")
	}
	b.close()
}

// lastNParams reads the parameters from the query and from the body, a form or Parameters.
func (c *call) lastNParams() ([]search.Param, error) {
	params, err := resources.ParseQuery(c.r.URL.RawQuery)
	if err != nil || c.r.Method != http.MethodPost || c.r.ContentLength == 0 {
		return withoutControls(params), err
	}
	media, err := c.mediaType()
	var body []byte
	if err == nil {
		body, err = c.readBody(nil)
	}
	if err == nil && media == mediaXML {
		body, err = c.fromXML(body)
	}
	if err != nil {
		return nil, err
	}
	if media == mediaForm {
		form, err := resources.ParseQuery(string(body))
		return withoutControls(append(params, form...)), err
	}
	doc, err := document.Parse(body, r4.DefaultLimits())
	if err != nil {
		return nil, err
	}
	for p := range doc.Root().Get("parameter").Items() {
		for member := range p.Members() {
			if strings.HasPrefix(member.Name(), "value") {
				value := member.Text()
				if value == "" {
					value = string(member.Raw())
				}
				params = append(params, search.Param{Name: p.Get("name").Text(), Value: value})
			}
		}
	}
	return withoutControls(params), nil
}

// lastOf returns the most recent Observations of each code that a search finds, latest first.
func (c *call) lastOf(params []search.Param, most int) ([]resources.Version, error) {
	r := resources.SearchRequest{
		Type: "Observation", Params: append(slices.Clone(params), search.Param{Name: "_sort", Value: "-date"}),
		Options: search.Options{Strict: true, DefaultCount: min(500, c.h.Limits.MaxCount), MaxCount: c.h.Limits.MaxCount, Bases: c.bases()},
	}
	query := r.Params
	groups := map[string]int{} // of each key, the number of its group
	counts := map[int]int{}
	var list []resources.Version
	for read := 0; ; {
		found, err := c.h.Resources.Search(c.context(), r)
		if err != nil {
			return nil, err
		}
		for i := range found.Matches {
			m := &found.Matches[i]
			group := groupOf(m.Body, groups)
			if counts[group]++; counts[group] <= most {
				list = append(list, resources.VersionOf(m))
			} else {
				m.Body = nil
				c.free(m.Size)
			}
		}
		if read += len(found.Matches); found.Next == "" {
			return list, nil
		}
		if read >= maxLastN {
			return nil, problem(http.StatusUnprocessableEntity, "too-costly",
				"more than %d Observations match; select fewer with date, category or code", maxLastN)
		}
		r.Params = append(slices.Clone(query), search.Param{Name: search.CursorParam, Value: found.Next})
	}
}

// groupOf returns the number of the group of an Observation, and adds the keys of its code to the group.
func groupOf(body []byte, groups map[string]int) int {
	doc, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return 0 // stored documents were well-formed when they were written
	}
	code := doc.Root().Get("code")
	var keys []string
	for coding := range code.Get("coding").Items() {
		keys = append(keys, coding.Get("system").Text()+"|"+coding.Get("code").Text())
	}
	if keys == nil {
		keys = []string{"text " + code.Get("text").Text()}
	}
	group := 0
	for _, key := range keys {
		group = cmp.Or(group, groups[key])
	}
	if group == 0 {
		group = len(groups) + 1
	}
	for _, key := range keys {
		if groups[key] == 0 {
			groups[key] = group
		}
	}
	return group
}
