package httpadapter

import (
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

// negotiateQuery returns control after choosing the format of the response.
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

// negotiate chooses the format of the response, by _format or else by Accept, and sets c.pretty. The
// response to an entry of a batch or transaction is a part of another response and always JSON here.
func (c *call) negotiate(format, pretty string) error {
	if pretty != "" {
		c.pretty = pretty == "true"
	}
	if c.format == formatJSON {
		return nil
	}
	var err error
	c.format, err = c.at.choose(format, c.r.Header["Accept"], c.r.Header["Content-Type"])
	return err
}

func (b *base) notAcceptable(text string) error {
	return withStatus(http.StatusNotAcceptable, operation.Problem{
		Code: "not-supported",
		Text: text + "; this server responds with " + mediaFHIR + " or " + mediaXML + "; fhirVersion=" + b.major(),
	})
}

// speaks reports whether a value of the parameter fhirVersion is the version of the base. An absent
// one, "", is.
func (b *base) speaks(version string) bool {
	return version == "" || version == b.major() || strings.HasPrefix(version, b.major()+".")
}

// major returns the version of the base without the patch: 4.0.
func (b *base) major() string { return b.fhir[:strings.LastIndexByte(b.fhir, '.')] }

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
