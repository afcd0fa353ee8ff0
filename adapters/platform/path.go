package platform

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

// badSegment is what segment makes of a name that no path can carry; a request for it is
// not sent. Without this, deleting the key "" of a namespace would delete the namespace.
const badSegment = "%"

// segment escapes a name as one segment of a path.
func segment(name string) string {
	if noName(name) {
		return badSegment + name
	}
	return url.PathEscape(name)
}

// noName tells of what is no name in a path: servers take it for a step between folders.
func noName(name string) bool { return name == "" || name == "." || name == ".." }

// maxAddress is how many bytes an address may have.
const maxAddress = 64 << 10

// address makes the address of a request.
func (c *Client) address(request *Request) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, fmt.Errorf("%s %s: %s", request.Method, auth.Printable(request.Path, 200), why)
	}
	if !strings.HasPrefix(request.Path, "/") || strings.ContainsAny(request.Path, "?#") || auth.HasControl(request.Path) {
		return refuse("the path does not begin with /, or has a query or control character")
	}
	for _, part := range strings.Split(request.Path, "/") {
		if name, bad := strings.CutPrefix(part, badSegment); bad && noName(name) {
			return refuse(fmt.Sprintf("%q cannot be a name in a path; correct the name", name))
		}
		name, err := url.PathUnescape(part)
		if err != nil || name == "." || name == ".." {
			return refuse("a name in the path is . or .., or not escaped")
		}
	}
	u, err := url.Parse(c.base + request.Path)
	if err != nil {
		return refuse("the path cannot be read")
	}
	u.RawQuery = request.Query.Encode()
	if len(u.Path)+len(u.RawQuery) > maxAddress {
		return refuse(fmt.Sprintf("the address is longer than %d bytes; give fewer fields or filters", maxAddress))
	}
	return u, nil
}
