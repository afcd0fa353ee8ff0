package httpadapter

import (
	"net/netip"
	"strconv"
	"strings"
)

// maxHost is the longest host name in bytes. RFC 1035, section 2.3.4, with room for a port.
const maxHost = 261

// validAuthority returns a host with or without a port, or "" if text is not one.
func validAuthority(text string) string {
	if _, _, ok := splitAuthority(text); !ok {
		return ""
	}
	return text
}

// splitAuthority splits a host and an optional port. The host is a name, an IPv4 address, or an IPv6
// address, which is in brackets in the text and without them in the result.
func splitAuthority(text string) (host, port string, ok bool) {
	if len(text) > maxHost {
		return "", "", false
	}
	host = text
	if inner, found := strings.CutPrefix(text, "["); found {
		if host, port, found = strings.Cut(inner, "]"); !found || port != "" && port[0] != ':' {
			return "", "", false
		}
		addr, err := netip.ParseAddr(host)
		return host, strings.TrimPrefix(port, ":"), err == nil && addr.Is6() && addr.Zone() == "" && validPort(port)
	}
	if colon := strings.IndexByte(text, ':'); colon >= 0 {
		host, port = text[:colon], text[colon:]
	}
	return host, strings.TrimPrefix(port, ":"), validName(host) && validPort(port)
}

// validPort reports whether text is "" or a colon and a port.
func validPort(text string) bool {
	if text == "" {
		return true
	}
	n, err := strconv.ParseUint(text[1:], 10, 16)
	return err == nil && n > 0 && text[1] != '0'
}

// validName reports whether s consists of characters that a host name or an IPv4 address may have.
func validName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return s != ""
}
