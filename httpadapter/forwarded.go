package httpadapter

import (
	"iter"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// readForwardedFor reads the headers X-Forwarded-For, -Proto, -Host and -Prefix of a request that a
// trusted proxy sent from peer.
//
// Each proxy appends the address of its own client to X-Forwarded-For, so the list is read from the
// right, and only as long as a trusted proxy wrote the next address. What is left of that may be
// forged. An address that cannot be parsed ends the walk. The other headers have a value of each
// proxy too, or one in all.
func readForwardedFor(trusted []netip.Prefix, peer netip.Addr, header http.Header) origin {
	o := origin{client: peer}
	hops := 0
	for text := range fromRight(header["X-Forwarded-For"]) {
		addr, ok := parseNode(text)
		if !ok || !contains(trusted, o.client) {
			break
		}
		o.client = addr
		hops++
	}
	value := func(name string) (found string) {
		n := 0
		for text := range fromRight(header[name]) {
			if found = text; n+1 >= hops {
				break
			}
			n++
		}
		return found
	}
	o.scheme = validScheme(value("X-Forwarded-Proto"))
	o.host = validAuthority(value("X-Forwarded-Host"))
	o.prefix = validPrefix(value("X-Forwarded-Prefix"))
	return o
}

// fromRight returns the elements of a header with comma-separated values from the last to the first.
func fromRight(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range slices.Backward(lines) {
			for more := true; more; {
				comma := strings.LastIndexByte(line, ',')
				if !yield(strings.Trim(line[comma+1:], " \t")) {
					return
				}
				if more = comma >= 0; more {
					line = line[:comma]
				}
			}
		}
	}
}

// readForwarded reads the header Forwarded (RFC 7239) of a request that a trusted proxy sent from
// peer, as readForwardedFor reads its headers. It stops at a line that is not well-formed. RFC 7239
// has nothing for a prefix, so X-Forwarded-Prefix is read here too.
func readForwarded(trusted []netip.Prefix, peer netip.Addr, header http.Header) origin {
	o := origin{client: peer}
	for element := range elementsFromRight(header["Forwarded"]) {
		if !contains(trusted, o.client) {
			break
		}
		o.scheme, o.host = validScheme(element.proto), validAuthority(element.host)
		addr, ok := parseNode(element.node)
		if !ok {
			break
		}
		o.client = addr
	}
	for text := range fromRight(header["X-Forwarded-Prefix"]) {
		o.prefix = validPrefix(text)
		break
	}
	return o
}

// forwardedElement is what one proxy reports: for, proto and host of RFC 7239, section 5.
type forwardedElement struct{ node, proto, host string }

// elementsFromRight returns the elements of Forwarded from the last to the first. It stops at a
// line that is not well-formed.
func elementsFromRight(lines []string) iter.Seq[forwardedElement] {
	return func(yield func(forwardedElement) bool) {
		for _, line := range slices.Backward(lines) {
			elements, ok := parseForwarded(line)
			if !ok {
				return
			}
			for _, e := range slices.Backward(elements) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// parseForwarded parses a line of Forwarded. RFC 7239, section 4.
func parseForwarded(line string) (elements []forwardedElement, ok bool) {
	var e forwardedElement
	for rest := line; ; {
		name, after, found := strings.Cut(strings.TrimLeft(rest, " \t"), "=")
		if !found || !isToken(name) {
			return nil, false
		}
		value, after, valid := cutForwardedValue(after)
		if !valid {
			return nil, false
		}
		switch strings.ToLower(name) {
		case "for":
			e.node = value
		case "proto":
			e.proto = value
		case "host":
			e.host = value
		}
		after = strings.TrimLeft(after, " \t")
		switch {
		case after == "":
			return append(elements, e), true
		case after[0] == ',':
			elements, e = append(elements, e), forwardedElement{}
		case after[0] != ';':
			return nil, false
		}
		rest = after[1:]
	}
}

// cutForwardedValue returns the token or quoted string at the start of text, and what follows it.
func cutForwardedValue(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ";, \t")
		if end < 0 {
			end = len(text)
		}
		// A colon and brackets belong into quotes, but are often sent without.
		return text[:end], text[end:], isToken(strings.NewReplacer("[", "", "]", "", ":", "").Replace(text[:end]))
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// parseNode parses an address with or without a port and brackets. A proxy may also report unknown,
// or a name that hides the address.
func parseNode(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	if inner, found := strings.CutPrefix(text, "["); found {
		if text, found = strings.CutSuffix(inner, "]"); !found || !strings.Contains(text, ":") {
			return netip.Addr{}, false
		}
	}
	addr, err := netip.ParseAddr(text)
	return addr.Unmap().WithZone(""), err == nil
}

// validScheme returns http or https, or "" for anything else.
func validScheme(s string) string {
	if s = strings.ToLower(s); s == "http" || s == "https" {
		return s
	}
	return ""
}

// maxPrefix is the longest prefix that is accepted from a proxy, in bytes.
const maxPrefix = 256

// validPrefix returns a path without a slash at its end, or "" if it is not a clean absolute path.
func validPrefix(s string) string {
	s = strings.TrimRight(s, "/")
	if s == "" || len(s) > maxPrefix || s[0] != '/' || path.Clean(s) != s {
		return ""
	}
	for i := range len(s) {
		if c := s[i]; !isUnreserved(c) && c != '/' {
			return ""
		}
	}
	return s
}

// isUnreserved reports whether c needs no escape in a path. RFC 3986, section 2.3.
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
