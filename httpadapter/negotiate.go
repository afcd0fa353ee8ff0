package httpadapter

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/search"
)

// control reads the parameters that every request may carry from the query.
func (c *call) control() (operation.Control, error) {
	if c.r.URL.RawQuery == "" {
		return operation.Control{}, nil
	}
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return operation.Control{}, withStatus(http.StatusBadRequest, operation.Problem{
			Code: "value", Text: "the query of the URL is malformed: " + err.Error(),
		})
	}
	return operation.Control{
		Format:   query.Get("_format"),
		Pretty:   query.Get("_pretty"),
		Summary:  query.Get("_summary"),
		Elements: query.Get("_elements"),
	}, nil
}

// negotiateQuery returns control after checking that the client accepts JSON.
func (c *call) negotiateQuery() (operation.Control, error) {
	control, err := c.control()
	if err == nil {
		err = c.negotiate(control.Format, control.Pretty)
	}
	return control, err
}

// negotiateParams is negotiate with the values of _format and _pretty among params.
func (c *call) negotiateParams(params []search.Param) error {
	var format, pretty string
	for _, p := range params {
		switch p.Name {
		case "_format":
			format = p.Value
		case "_pretty":
			pretty = p.Value
		}
	}
	return c.negotiate(format, pretty)
}

// negotiate checks that the client accepts JSON, by _format or else by Accept, and sets
// c.pretty. Responses are always application/fhir+json.
func (c *call) negotiate(format, pretty string) error {
	if pretty != "" {
		c.pretty = pretty == "true"
	}
	if format != "" {
		if !jsonFormat(format) {
			return notAcceptable(fmt.Sprintf("_format %q is not supported", cut(format)))
		}
		return nil
	}
	accept := c.r.Header["Accept"]
	if accept == nil || (len(accept) == 1 && (accept[0] == "*/*" || accept[0] == mediaFHIR || accept[0] == mediaJSON)) {
		return nil
	}
	if !acceptsJSON(accept) {
		return notAcceptable(fmt.Sprintf("Accept %q is not supported", cut(strings.Join(accept, ", "))))
	}
	return nil
}

func notAcceptable(text string) error {
	return withStatus(http.StatusNotAcceptable, operation.Problem{Code: "not-supported", Text: text + "; this server responds with " + mediaFHIR + "; fhirVersion=4.0"})
}

// jsonFormat reports whether a value of _format means JSON. A + that a client did not escape
// arrives as a space.
func jsonFormat(format string) bool {
	media, params, err := mime.ParseMediaType(strings.Replace(format, "/fhir json", "/fhir+json", 1))
	if err != nil {
		return false
	}
	switch media {
	case "json", mediaJSON, mediaFHIR, "application/json+fhir", "text/json":
	default:
		return false
	}
	return params["fhirversion"] == "" || isR4(params["fhirversion"])
}

// acceptsJSON reports whether a media range of an Accept header includes FHIR R4 JSON.
func acceptsJSON(accept []string) bool {
	for _, line := range accept {
		for element := range strings.SplitSeq(line, ",") {
			element = strings.TrimSpace(element)
			if element == "" {
				continue
			}
			media, params, err := mime.ParseMediaType(element)
			if err != nil {
				continue
			}
			switch media {
			case "*/*", "application/*", "text/*", mediaJSON, mediaFHIR, "application/json+fhir", "text/json":
			default:
				continue
			}
			if strings.Trim(params["q"], "0.") == "" && params["q"] != "" {
				continue // q=0: not acceptable
			}
			if version := params["fhirversion"]; version == "" || isR4(version) {
				return true
			}
		}
	}
	return false
}

func isR4(version string) bool {
	return version == "4.0" || version == "4.0.1" || version == "4.0.0"
}

// preference returns the value of a preference in the Prefer header (RFC 7240), or "" when it
// is absent.
func preference(prefer []string, name string) string {
	for _, line := range prefer {
		for _, element := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ';' }) {
			key, value, _ := strings.Cut(strings.TrimSpace(element), "=")
			if strings.EqualFold(strings.TrimSpace(key), name) {
				return strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`))
			}
		}
	}
	return ""
}

// cut shortens text that a client sent, for use in a message.
func cut(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
