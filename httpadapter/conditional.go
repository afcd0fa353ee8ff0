package httpadapter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// validators are what conditional requests compare (R4 http.html#cond-update, RFC 9110).
type validators struct {
	etag     string    // W/"1"
	modified time.Time // zero when not known
}

func versionTag(versionID int64) string { return `W/"` + strconv.FormatInt(versionID, 10) + `"` }

// set puts the validators into the header of an answer.
func (v validators) set(header http.Header) {
	if v.etag != "" {
		header["Etag"] = []string{v.etag}
	}
	if !v.modified.IsZero() {
		header["Last-Modified"] = []string{v.modified.UTC().Format(http.TimeFormat)}
	}
}

// fresh reports that the client has this version already. If-None-Match decides where
// both headers are there (RFC 9110, 13.2.2).
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

// tagListed reports that a list of entity tags has a tag, by weak comparison.
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

// expectedVersion reads If-Match and If-None-Match of a write: the version that must be
// current, 0 for none, nil when the client does not say.
func (c *call) expectedVersion(ctx context.Context, typ, id string) (*int64, error) {
	if strings.TrimSpace(c.r.Header.Get("If-None-Match")) == "*" {
		return new(int64), nil
	}
	match := strings.TrimSpace(c.r.Header.Get("If-Match"))
	if match == "" {
		return nil, nil
	}
	if match == "*" { // any version, but there must be one
		v, err := c.h.Resources.Read(ctx, typ, id)
		if errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone) {
			return nil, resources.Conflict(resources.Key{Type: typ, ID: id}, 1, 0)
		}
		return &v.VersionID, err
	}
	text := strings.TrimPrefix(match, "W/")
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return nil, badIfMatch(match)
	}
	n, err := strconv.ParseInt(text[1:len(text)-1], 10, 64)
	if err != nil || n < 1 {
		n = -1 // the tag of something else, such as of a loaded file: never current
	}
	return &n, nil
}

func badIfMatch(match string) error {
	return &operation.Problem{
		Status: http.StatusBadRequest, Code: "value", Expression: "http.If-Match",
		Text: fmt.Sprintf(`If-Match %q is not an entity tag such as W/"1"`, cut(match)),
	}
}
