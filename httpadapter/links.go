package httpadapter

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/roget-health/roget/resources/search"
)

// base returns the absolute URL that relative references in the response resolve against.
func (c *call) base() string { return c.address() + c.at.path }

// bases returns the absolute URLs under which resources of this server may be referenced,
// the root last.
func (c *call) bases() []string { return Bases(c.address()) }

// Bases returns the absolute URLs under which a server with a public address has its resources, the
// root last. The address has no slash at its end.
func Bases(address string) []string {
	list := make([]string, len(bases))
	for i := range bases {
		list[len(bases)-1-i] = address + bases[i].path
	}
	return list
}

// address returns the absolute URL of the server's root as the client sees it, without a slash at its
// end.
func (c *call) address() string {
	if c.h.BaseURL != "" {
		return c.h.BaseURL
	}
	scheme, host, prefix := "http", c.r.Host, ""
	if c.r.TLS != nil {
		scheme = "https"
	}
	if len(c.h.TrustedProxies) > 0 {
		if o := originOf(c.r.Context()); o != nil {
			scheme, host, prefix = cmp.Or(o.scheme, scheme), cmp.Or(o.host, host), o.prefix
		}
	}
	return scheme + "://" + host + prefix
}

// link is a link of a Bundle.
type link struct{ relation, url string }

// pageLinks returns the links of a search page: self with the parameters that were used, and
// the other pages of the same search.
func (c *call) pageLinks(page *search.Page, params []search.Param) []link {
	root := c.searchRoot()
	here := ""
	for _, p := range params {
		if p.Name == search.CursorParam {
			here = p.Value
		}
	}
	links := []link{{"self", linkTo(root, page.Self, search.CursorParam, here)}}
	for _, l := range []link{{"first", page.First}, {"previous", page.Previous}, {"next", page.Next}, {"last", page.Last}} {
		if l.url != "" {
			links = append(links, link{l.relation, linkTo(root, page.Self, search.CursorParam, l.url)})
		}
	}
	return links
}

// searchRoot returns the URL of the requested search without parameters, as for a GET.
func (c *call) searchRoot() string {
	switch c.target.route {
	case atCompartment, atCompartmentSearch:
		_, path, _ := strings.Cut(strings.TrimSuffix(c.r.URL.Path, "/_search"), c.at.path)
		return c.base() + path
	case atBase, atSystemSearch:
		return c.base() + "/"
	}
	return c.base() + "/" + c.label.typ
}

// linkTo returns a URL with params, and with name=value as well if value is not "".
func linkTo(root string, params []search.Param, name, value string) string {
	var q linkQuery
	for _, p := range params {
		q.add(p.Name, p.Value)
	}
	if value != "" {
		q.add(name, value)
	}
	if q.Len() == 0 {
		return root
	}
	return root + "?" + q.String()
}

// linkQuery builds the query of a link.
type linkQuery struct{ strings.Builder }

func (q *linkQuery) add(name, value string) {
	if q.Len() > 0 {
		q.WriteByte('&')
	}
	q.WriteString(url.QueryEscape(name))
	q.WriteByte('=')
	q.WriteString(url.QueryEscape(value))
}
