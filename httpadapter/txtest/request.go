package txtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// endpoints are the paths of the operations below the base.
var endpoints = map[string]string{
	"expand":           "ValueSet/$expand",
	"validate-code":    "ValueSet/$validate-code",
	"cs-validate-code": "CodeSystem/$validate-code",
	"lookup":           "CodeSystem/$lookup",
	"subsumes":         "CodeSystem/$subsumes",
	"translate":        "ConceptMap/$translate",
	"batch-validate":   "ValueSet/$batch-validate-code",
	"compare":          "ValueSet/$compare",
	"related":          "ValueSet/$related",
	"closure":          "$closure",
	"batch":            "",
	"metadata":         "metadata",
	"term-caps":        "metadata?mode=terminology",
}

// defaultProfile has the parameters of every request whose case names no profile.
const defaultProfile = "parameters-default.json"

// ofMetadata reports whether a case reads a statement of the server, which may contain more than is
// expected.
func (c *Case) ofMetadata() bool {
	operation := text(c.fields, "operation")
	return operation == "metadata" || operation == "term-caps"
}

// request returns the HTTP request of a case and its body, which is nil for a GET.
func (r *Runner) request(ctx context.Context, c *Case) (req *http.Request, body []byte, err error) {
	endpoint, known := endpoints[text(c.fields, "operation")]
	if !known {
		return nil, nil, fmt.Errorf("unknown operation %q", text(c.fields, "operation"))
	}
	method := http.MethodGet
	if !c.ofMetadata() {
		method = http.MethodPost
		document, err := c.body(r.Modes, r.version())
		if err != nil {
			return nil, nil, err
		}
		if body, err = json.Marshal(document); err != nil {
			return nil, nil, err
		}
	}
	req, err = http.NewRequestWithContext(ctx, method, r.Base+"/"+endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/fhir+json")
	}
	req.Header.Set("Accept", "application/fhir+json")
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "Tools/Java") // as HL7's client; some servers depend on it
	req.Header.Set("X-Request-Id", "txTests:"+c.ID)
	if languages := text(c.fields, "Accept-Language"); languages != "" {
		req.Header.Set("Accept-Language", languages)
	}
	header := member(c.fields, "header")
	if mode := text(header, "mode"); header != nil && (mode == "" || slices.Contains(r.Modes, mode)) {
		req.Header.Set(text(header, "name"), text(header, "value"))
	}
	return req, body, nil
}

// body returns the body of a request: the parameters of its file, the setup resources of the suite
// and the parameters of the profile. In a Bundle, the setup goes to the first entry and the profile
// to every entry.
func (c *Case) body(modes []string, version string) (object, error) {
	request, err := c.in.sent(c.file("request", modes), version)
	if err != nil {
		return nil, err
	}
	setup := list{}
	for _, name := range c.suite.setup {
		s, err := c.in.sent(name, version)
		if err != nil {
			return nil, err
		}
		setup = append(setup, s.txResource)
	}
	profileFile := text(c.fields, "profile")
	if profileFile == "" {
		profileFile = defaultProfile
	}
	profile, err := c.in.sent(profileFile, version)
	if err != nil {
		return nil, err
	}
	extra, _ := profile.resource["parameter"].(list)
	if text(request.resource, "resourceType") == "Bundle" {
		return withInEntries(request.resource, setup, extra), nil
	}
	document := with(request.resource, slices.Concat(setup, extra))
	if lenient, found := c.fields["lenient-display"]; found {
		document = with(document, list{object{"name": "lenient-display-validation", "valueBoolean": lenient == true}})
	}
	return document, nil
}

// with returns Parameters with more parameters appended.
func with(resource object, more list) object {
	longer := maps.Clone(resource)
	own, _ := resource["parameter"].(list)
	longer["parameter"] = slices.Concat(own, more)
	return longer
}

func withInEntries(bundle object, first, each list) object {
	entries := list{}
	for _, entry := range objects(bundle, "entry") {
		entry = maps.Clone(entry)
		entry["resource"] = with(member(entry, "resource"), slices.Concat(first, each))
		entries = append(entries, entry)
		first = nil
	}
	bundle = maps.Clone(bundle)
	bundle["entry"] = entries
	return bundle
}
