package httpadapter

import (
	"fmt"
	"mime"
	"net/url"
	"strconv"
	"strings"
)

// A format is a format of a response.
type format uint8

const (
	formatOpen format = iota // not negotiated yet
	formatJSON
	formatXML
)

// formatOf returns the format that a media type names, formatOpen for others.
func formatOf(media string) format {
	switch media {
	case mediaFHIR, mediaJSON, "application/json+fhir", "text/json":
		return formatJSON
	case mediaXML, "application/xml", "application/xml+fhir", "text/xml":
		return formatXML
	}
	return formatOpen
}

// choose returns the format that a request to the base asks for, by _format or else by Accept, or if
// it accepts anything, the format of its body, whose Content-Type is sent. The error says that a
// format is not supported; the format is JSON then.
func (b *base) choose(format string, accept, sent []string) (format, error) {
	if format != "" {
		if chosen := b.formatNamed(format); chosen != formatOpen {
			return chosen, nil
		}
		return formatJSON, b.notAcceptable(fmt.Sprintf("_format %q is not supported", cut(format)))
	}
	switch {
	case accept == nil, len(accept) == 1 && accept[0] == "*/*":
		return formatSent(sent), nil
	case len(accept) == 1 && (accept[0] == mediaFHIR || accept[0] == mediaJSON):
		return formatJSON, nil
	case len(accept) == 1 && accept[0] == mediaXML:
		return formatXML, nil
	}
	if chosen := b.accepted(accept); chosen != formatOpen {
		return chosen, nil
	}
	return formatJSON, b.notAcceptable(fmt.Sprintf("Accept %q is not supported", cut(strings.Join(accept, ", "))))
}

// formatSent returns the format of a body with a Content-Type: XML, or JSON for any other.
func formatSent(contentType []string) format {
	if len(contentType) != 1 || contentType[0] == mediaFHIR {
		return formatJSON
	}
	media, _, _ := strings.Cut(contentType[0], ";")
	if formatOf(strings.ToLower(strings.TrimSpace(media))) == formatXML {
		return formatXML
	}
	return formatJSON
}

// formatNamed returns the format that a value of _format names. A + that a client did not escape
// arrives as a space.
func (b *base) formatNamed(value string) format {
	media, params, err := mime.ParseMediaType(strings.Replace(value, "/fhir ", "/fhir+", 1))
	if err != nil || !b.speaks(params["fhirversion"]) {
		return formatOpen
	}
	switch media {
	case "json":
		return formatJSON
	case "xml":
		return formatXML
	}
	return formatOf(media)
}

// A wish is how much a client wants a format: by the most specific range of its Accept header that
// includes the format, and the highest quality among those.
type wish struct {
	specific int // 0 for */*, 1 for application/*, 2 for a media type; -1 for no range
	quality  float64
	at       int // the position of the range
}

func (w *wish) add(specific int, quality float64, at int) {
	if specific > w.specific || specific == w.specific && quality > w.quality {
		*w = wish{specific, quality, at}
	}
}

// before reports whether a client wants w rather than o (RFC 9110, section 12.5.1). Of equal
// wishes, the more specific and then the first goes before.
func (w wish) before(o wish) bool {
	switch {
	case w.quality != o.quality:
		return w.quality > o.quality
	case w.specific != o.specific:
		return w.specific > o.specific
	}
	return w.specific == 2 && w.at < o.at
}

// accepted returns the format that an Accept header prefers, formatOpen if it accepts neither. JSON
// goes before XML if the client wants both alike. A browser, which accepts HTML and then any XML,
// gets JSON.
func (b *base) accepted(accept []string) format {
	json, xml := wish{specific: -1}, wish{specific: -1}
	browser, fhirXML, at := false, false, 0
	for _, line := range accept {
		for element := range strings.SplitSeq(line, ",") {
			media, params, err := mime.ParseMediaType(strings.TrimSpace(element))
			if err != nil || !b.speaks(params["fhirversion"]) {
				continue
			}
			at++
			q := quality(params["q"])
			switch of := formatOf(media); {
			case media == "*/*":
				json.add(0, q, at)
				xml.add(0, q, at)
			case media == "application/*", media == "text/*":
				json.add(1, q, at)
				xml.add(1, q, at)
			case of == formatJSON:
				json.add(2, q, at)
			case of == formatXML:
				xml.add(2, q, at)
				fhirXML = fhirXML || media == mediaXML
			case media == "text/html":
				browser = true
			}
		}
	}
	switch {
	case json.quality == 0 && xml.quality == 0:
		return formatOpen
	case xml.before(json) && (json.quality == 0 || !browser || fhirXML):
		return formatXML
	}
	return formatJSON
}

// quality returns the value of a parameter q, 1 if it is absent or malformed.
func quality(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q < 0 || q > 1 {
		return 1
	}
	return q
}

// settle chooses the format of a response that was not negotiated, such as that of an error.
func (c *call) settle() {
	value := ""
	if strings.Contains(c.r.URL.RawQuery, "_format=") {
		query, _ := url.ParseQuery(c.r.URL.RawQuery)
		value = query.Get("_format")
	}
	c.format, _ = c.at.choose(value, c.r.Header["Accept"], c.r.Header["Content-Type"])
}
