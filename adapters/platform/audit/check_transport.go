package audit

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roget-health/roget/adapters/platform"
)

// probeOrigin is the origin from which the audit pretends to come.
const probeOrigin = "https://roget-probe.invalid"

// transportInput is the input of the check of the transport.
type transportInput struct {
	https  bool
	header http.Header // of a response to a request with the Origin probeOrigin
}

func (s *Scanner) transport(ctx context.Context) (Result, error) {
	header := ajax()
	header.Set("Origin", probeOrigin)
	response, err := s.client.Do(ctx, platform.Request{Path: infoPath, Header: header})
	if err != nil {
		return Result{}, &readError{infoPath, err}
	}
	if !isObject(response) { // the headers are those of a page in front of the platform
		return Result{}, &readError{infoPath, errForm}
	}
	return reduceTransport(transportInput{https: strings.HasPrefix(s.base, "https://"), header: response.Header}), nil
}

func reduceTransport(in transportInput) Result {
	r := newRecorder(CheckTransport)
	r.evaluated("transport-no-tls")
	if !in.https {
		r.flag(Finding{Control: "transport-no-tls", Severity: High, Title: "The platform is used without TLS", Detail: "Its address begins with http:, so passwords and data travel in plain text."})
	}
	reduceHSTS(r, in)
	reduceCSP(r, in.header)
	reduceHeaders(r, in.header)
	reduceCORS(r, in.header)
	return r.done()
}

const (
	day  = 86_400
	year = 31_536_000
)

func reduceHSTS(r *recorder, in transportInput) {
	const missing, short = "transport-no-hsts", "transport-weak-hsts"
	values := in.header.Values("Strict-Transport-Security")
	switch {
	case !in.https:
		r.skip("not https", missing, short)
		return
	case len(values) == 0:
		r.flag(Finding{Control: missing, Severity: Medium, Title: "No HSTS header", Detail: "Browsers are not instructed to use https only."})
		r.skip("no Strict-Transport-Security header", short)
		return
	}
	r.evaluated(missing, short)
	flag := func(severity Severity, detail string) {
		r.flag(Finding{Control: short, Severity: severity, Title: "HSTS is weak", Detail: detail, Evidence: map[string]string{"strict-transport-security": values[0]}})
	}
	age, given := "", false
	for directive := range strings.SplitSeq(values[0], ";") { // of several headers the first counts
		name, value, _ := strings.Cut(directive, "=")
		if strings.EqualFold(strings.TrimSpace(name), "max-age") && !given {
			age, given = strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	seconds, err := strconv.ParseUint(age, 10, 64)
	switch {
	case !given:
		flag(Medium, "The header has no max-age, so browsers ignore it.")
	case age == "" || strings.Trim(age, "0123456789") != "":
		flag(Medium, "The max-age is not a number, so browsers ignore the header.")
	case err == nil && seconds == 0:
		flag(Medium, "The max-age is 0, which turns HSTS off.")
	case err == nil && seconds < day:
		flag(Warn, fmt.Sprintf("The max-age of %d seconds is less than a day.", seconds))
	case err == nil && seconds < year:
		flag(Warn, fmt.Sprintf("The max-age of %d seconds is less than a year.", seconds))
	}
}

func reduceCSP(r *recorder, header http.Header) {
	const missing, lax, framing = "transport-no-csp", "transport-weak-csp", "transport-no-anti-framing"
	enforced := parsePolicies(header.Values("Content-Security-Policy"))
	reported := parsePolicies(header.Values("Content-Security-Policy-Report-Only"))
	r.evaluated(missing, lax, framing)
	policies, value := enforced, header.Values("Content-Security-Policy")
	if len(enforced) == 0 {
		policies, value = reported, header.Values("Content-Security-Policy-Report-Only")
	}
	if len(policies) == 0 {
		r.flag(Finding{Control: missing, Severity: Medium, Title: "No Content-Security-Policy", Detail: "Injected scripts would run without hindrance."})
		r.skip("no policy", lax)
	} else {
		failures, mention := gradePolicies(policies, len(enforced) == 0)
		if mention != "" {
			r.note("%s", mention)
		}
		if len(failures) > 0 {
			r.flag(Finding{
				Control: lax, Severity: Medium, Title: "The Content-Security-Policy is weak", Detail: capital(strings.Join(failures, "; ")) + ".",
				Evidence: map[string]string{"content-security-policy": strings.Join(value, ", ")},
			})
		}
	}
	framed := header.Get("X-Frame-Options") != ""
	for _, p := range enforced {
		_, has := p["frame-ancestors"]
		framed = framed || has
	}
	if !framed {
		r.flag(Finding{
			Control: framing, Severity: Warn, Title: "Other sites may frame the platform",
			Detail: "There is neither X-Frame-Options nor frame-ancestors in an enforced policy, so the platform can be used for clickjacking.",
		})
	}
}

// capital returns a text that begins with a capital letter.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func reduceHeaders(r *recorder, header http.Header) {
	r.evaluated("transport-no-nosniff", "transport-cross-origin-isolation", "transport-server-version-disclosure")
	if !strings.EqualFold(strings.TrimSpace(header.Get("X-Content-Type-Options")), "nosniff") {
		r.flag(Finding{Control: "transport-no-nosniff", Severity: Warn, Title: "Browsers may guess content types", Detail: "X-Content-Type-Options is not nosniff."})
	}
	var missing []string
	for _, name := range []string{"Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy", "Cross-Origin-Resource-Policy"} {
		if header.Get(name) == "" {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		r.flag(Finding{
			Control: "transport-cross-origin-isolation", Severity: Info, Title: "Not isolated from other origins",
			Detail: "These headers are missing: " + strings.Join(missing, ", ") + ".", Evidence: map[string]string{"missing": strings.Join(missing, ", ")},
		})
	}
	if server := header.Get("Server"); strings.ContainsAny(server, "0123456789") {
		r.flag(Finding{
			Control: "transport-server-version-disclosure", Severity: Warn, Title: "The Server header shows a version",
			Detail: "Attackers learn which vulnerabilities to try.", Evidence: map[string]string{"server": server},
		})
	}
}

func reduceCORS(r *recorder, header http.Header) {
	const credentialed, anyone, specific = "transport-cors-credentialed-any-origin", "transport-cors-any-origin", "transport-cors-credentialed-specific-origin" //nolint:gosec // keys of findings
	origin := strings.TrimSpace(header.Get("Access-Control-Allow-Origin"))
	if origin == "" {
		r.skip("no allow-origin returned", credentialed, anyone, specific)
		return
	}
	r.evaluated(credentialed, anyone, specific)
	withLogin := strings.EqualFold(strings.TrimSpace(header.Get("Access-Control-Allow-Credentials")), "true")
	open := origin == "*" || strings.EqualFold(origin, probeOrigin)
	evidence := map[string]string{"access-control-allow-origin": origin, "access-control-allow-credentials": strconv.FormatBool(withLogin)}
	switch {
	case open && withLogin:
		r.flag(Finding{Control: credentialed, Severity: High, Title: "Any site may use the login of a user", Detail: "A foreign origin is allowed, with credentials.", Evidence: evidence})
	case open:
		r.flag(Finding{Control: anyone, Severity: Warn, Title: "Any site may read responses", Detail: "A foreign origin is allowed, without credentials.", Evidence: evidence})
	case withLogin:
		r.flag(Finding{Control: specific, Severity: Warn, Title: "Another origin may use the login of a user", Detail: "The origin is allowed with credentials.", Subject: origin, Evidence: evidence})
	}
}
