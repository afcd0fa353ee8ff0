package platform

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

// badSegment is the prefix with which segment marks a name that no path can carry. Such requests are
// not sent: deleting the key "" of a namespace would delete the namespace.
const badSegment = "%"

// segment escapes a name as a segment of a path.
func segment(name string) string {
	if noName(name) {
		return badSegment + name
	}
	return url.PathEscape(name)
}

// noName reports whether servers would take a name for a step between folders.
func noName(name string) bool { return name == "" || name == "." || name == ".." }

// maxAddress limits the bytes of path and query.
const maxAddress = 64 << 10

// address returns the URL of a request.
func (c *Client) address(request *Request) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, fmt.Errorf("%s %s: %s", request.Method, auth.Printable(request.Path, 200), why)
	}
	if !strings.HasPrefix(request.Path, "/") || strings.ContainsAny(request.Path, "?#") || auth.HasControl(request.Path) {
		return refuse("the path does not begin with /, or contains a query or a control character")
	}
	for _, part := range strings.Split(request.Path, "/") {
		if name, bad := strings.CutPrefix(part, badSegment); bad && noName(name) {
			return refuse(fmt.Sprintf("%q cannot be a name in a path; correct the name", name))
		}
		name, err := url.PathUnescape(part)
		if err != nil || name == "." || name == ".." {
			return refuse("a segment of the path is . or .., or is not escaped")
		}
	}
	u, err := url.Parse(c.base + request.Path)
	if err != nil {
		return refuse("the path cannot be read")
	}
	u.RawQuery = request.Query.Encode()
	if len(u.Path)+len(u.RawQuery) > maxAddress {
		return refuse(fmt.Sprintf("the URL is longer than %d bytes; give fewer fields or filters", maxAddress))
	}
	return u, nil
}
