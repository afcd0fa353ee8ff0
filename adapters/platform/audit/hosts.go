package audit

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A hostKind says where a route leads. Platform toolkit, section 5.10.
type hostKind int

const (
	hostOther    hostKind = iota
	hostInternal          // private, loopback, link-local, unspecified, or a name that only internal servers have
	hostMetadata          // the metadata service of a cloud
)

// classifyHost classifies the host of a URL. It resolves no names.
func classifyHost(address string) (host string, kind hostKind) {
	host = hostOf(address)
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "metadata.google.internal" {
		return host, hostMetadata
	}
	if ip, ok := addressOf(name); ok {
		switch {
		case ip == netip.AddrFrom4([4]byte{169, 254, 169, 254}), ip == netip.MustParseAddr("fd00:ec2::254"):
			return host, hostMetadata
		case ip.IsPrivate(), ip.IsLoopback(), ip.IsLinkLocalUnicast(), ip.IsUnspecified(), ip.Is4() && ip.As4()[0] == 0, sharedRange.Contains(ip):
			return host, hostInternal
		}
		return host, hostOther
	}
	if name == "localhost" {
		return host, hostInternal
	}
	for _, end := range []string{".localhost", ".internal", ".local", ".localdomain"} {
		if strings.HasSuffix(name, end) {
			return host, hostInternal
		}
	}
	return host, hostOther
}

// sharedRange is for the networks of providers (RFC 6598), and not reachable from the internet.
var sharedRange = netip.MustParsePrefix("100.64.0.0/10")

// hostOf returns the host of a URL, also of one that url.Parse refuses, such as one with {variables}.
func hostOf(address string) string {
	address = strings.TrimSpace(address)
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	_, rest, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	rest = strings.TrimLeft(rest, `/\`)
	rest = rest[:strings.IndexAny(rest+"/", `/?#\`)]
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if inside, ok := strings.CutPrefix(rest, "["); ok {
		inside, _, _ = strings.Cut(inside, "]")
		return inside
	}
	host, _, _ := strings.Cut(rest, ":")
	return host
}

// addressOf reads an IP address: IPv6, and IPv4 in any of the forms that resolvers accept, such as
// 2130706433, 0x7f000001, 0177.0.0.1 and 127.1.
func addressOf(host string) (netip.Addr, bool) {
	host, _, _ = strings.Cut(host, "%") // zone
	if ip, err := netip.ParseAddr(host); err == nil {
		return embedded(ip), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := numberOf(part)
		switch last := i == len(parts)-1; {
		case !ok, !last && n > 255, last && n >= 1<<(8*(5-len(parts))):
			return netip.Addr{}, false
		case last:
			value |= n
		default:
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// numberOf reads a decimal, octal (0...) or hexadecimal (0x...) number.
func numberOf(text string) (uint64, bool) {
	base := 10
	switch rest, hex := strings.CutPrefix(text, "0x"); {
	case hex:
		text, base = rest, 16
		if text == "" {
			text = "0"
		}
	case len(text) > 1 && text[0] == '0':
		text, base = text[1:], 8
	}
	if text == "" || text[0] == '+' || text[0] == '-' || strings.Contains(text, "_") {
		return 0, false
	}
	n, err := strconv.ParseUint(text, base, 33)
	return n, err == nil
}

// embedded returns the IPv4 address that an IPv6 address stands for (mapped, or by NAT64), or the
// address.
func embedded(ip netip.Addr) netip.Addr {
	ip = ip.Unmap()
	if nat64 := netip.MustParsePrefix("64:ff9b::/96"); ip.Is6() && nat64.Contains(ip) {
		b := ip.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip
}
