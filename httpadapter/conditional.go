package httpadapter

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// validators are the values that conditional requests compare (R4 http.html#cond-update, RFC 9110).
type validators struct {
	etag     string    // W/"1"
	modified time.Time // zero if unknown
}

func versionTag(versionID int64) string { return `W/"` + strconv.FormatInt(versionID, 10) + `"` }

// set puts the validators into the header of a response.
func (v validators) set(header http.Header) {
	if v.etag != "" {
		header["Etag"] = []string{v.etag}
	}
	if !v.modified.IsZero() {
		header["Last-Modified"] = []string{v.modified.UTC().Format(http.TimeFormat)}
	}
}

// setValidators puts the validators into the header of the response, or into the response of a
// Bundle entry.
func (c *call) setValidators(v validators) {
	if a, part := c.w.(*entryResponse); part {
		a.modified = v.modified
	}
	v.set(c.w.Header())
}

// fresh reports whether the client already has this version. If-None-Match takes precedence over
// If-Modified-Since (RFC 9110, 13.2.2).
func (v validators) fresh(request http.Header) bool {
	if none := request["If-None-Match"]; none != nil {
		return v.etag != "" && tagListed(none, v.etag)
	}
	since := request.Get("If-Modified-Since")
	if since == "" || v.modified.IsZero() {
		return false
	}
	at, err := http.ParseTime(since)
	return err == nil && !v.modified.Truncate(time.Second).After(at)
}

// tagListed reports whether a list of entity tags contains tag, by weak comparison.
func tagListed(lines []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			element = strings.TrimPrefix(strings.TrimSpace(element), "W/")
			if element == "*" || element == tag {
				return true
			}
		}
	}
	return false
}

// writeConditions reads If-Match and If-None-Match for a write to one resource.
func (c *call) writeConditions(ctx context.Context, typ, id string) (resources.UpdateOptions, error) {
	if strings.TrimSpace(c.r.Header.Get("If-Match")) != "*" {
		return c.searchWriteConditions()
	}
	// Any version matches, but the resource must exist.
	v, err := c.h.Resources.Read(ctx, typ, id)
	if absent(err) {
		err = resources.Conflict(resources.Key{Type: typ, ID: id}, 1, 0)
	}
	return resources.UpdateOptions{IfMatch: &v.VersionID}, err
}

// searchWriteConditions reads If-Match and If-None-Match for a write to the match of a search.
func (c *call) searchWriteConditions() (resources.UpdateOptions, error) {
	o := resources.UpdateOptions{IfNoneMatch: strings.TrimSpace(c.r.Header.Get("If-None-Match")) == "*"}
	match := strings.TrimSpace(c.r.Header.Get("If-Match"))
	if match == "" || match == "*" {
		return o, nil
	}
	n, err := tagVersion(match)
	o.IfMatch = &n
	return o, err
}

// tagVersion returns the version that an entity tag names, or -1, which is never current, for
// any other tag, such as that of a loaded resource.
func tagVersion(tag string) (int64, error) {
	text := strings.TrimPrefix(tag, "W/")
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return 0, withStatus(http.StatusBadRequest, operation.Problem{
			Code: "value", Expression: "http.If-Match",
			Text: fmt.Sprintf(`If-Match %q is not an entity tag such as W/"1"`, cut(tag)),
		})
	}
	if n, err := strconv.ParseInt(text[1:len(text)-1], 10, 64); err == nil && n > 0 {
		return n, nil
	}
	return -1, nil
}

// searchCondition returns the search of a conditional interaction, without _format and _pretty. It
// returns an error if there is no search parameter, because the path alone would match every
// resource of the type.
func (c *call) searchCondition() ([]search.Param, error) {
	params, err := resources.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	params = withoutControls(params)
	if len(params) == 0 {
		return nil, problem(http.StatusBadRequest, "required", "%s /%s needs an id, or a search that finds one: /%s?identifier=…",
			c.r.Method, c.label.typ, c.label.typ)
	}
	return params, nil
}
