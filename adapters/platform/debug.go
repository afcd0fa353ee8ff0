package platform

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/roget-health/roget/auth"
)

// shown are the query parameters whose values appear in a debug line. Others may contain a secret, for
// example of the upstream of a route.
var shown = []string{
	"fields", "filter", "order", "rootJunction", "page", "pageSize", "paging", "translate",
	"locale", "key", "type", "id", "status", "importStrategy", "dryRun",
}

// debug writes the debug line of a request. It never shows headers. Platform toolkit, section 2.3.
func (c *Client) debug(request *http.Request, response *Response, err error, took time.Duration) {
	if c.options.Debug == nil {
		return
	}
	query := request.URL.Query()
	for name, values := range query {
		if !slices.Contains(shown, name) {
			query[name] = slices.Repeat([]string{"***"}, len(values))
		}
	}
	address := url.URL{Scheme: request.URL.Scheme, Host: request.URL.Host, Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: query.Encode()}
	outcome := fmt.Sprintf("%d %d bytes", response.Status, len(response.Body))
	if err != nil {
		outcome = "failed (" + auth.Printable(err.Error(), maxDetail) + ")"
	}
	c.debugMu.Lock()
	defer c.debugMu.Unlock()
	fmt.Fprintf(c.options.Debug, "%s %s %s %d ms\n", request.Method, address.String(), outcome, took.Milliseconds())
}
