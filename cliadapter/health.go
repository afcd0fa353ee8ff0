package cliadapter

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// maxHealth bounds the answer of /readyz that health reads.
const maxHealth = 64 << 10

func (c builder) healthCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "health", Category: groupRun, Usage: "Ask a server whether it is ready",
		Description: "Asks a running server whether it is ready to answer requests, and prints the checks that fail. Use it where a " +
			"container or a script needs a check and there is no curl. The exit code is 0 if the server is ready, 1 if it answers " +
			"that it is not, and 3 if it does not answer. Proxies in the environment are not used.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "timeout", Value: "5s", Usage: "`DURATION` Time limit for the answer; 0 for no limit."},
			&cli.BoolFlag{Name: "insecure", Usage: "Accept any certificate, as for a server on the same machine whose certificate names another address."},
		},
	}, command.Details{
		Access: command.Reads,
		Args: []command.Argument{{Name: "URL", Usage: "Address of the check. Without it, /readyz at the address in ROGET_OPS_ADDR or ROGET_ADDR, " +
			"or at 127.0.0.1:8080; by HTTPS with any certificate if ROGET_TLS_CERT is set. The path /readyz may be left out."}},
		Examples: []string{"roget health", "roget health https://127.0.0.1:8443 --insecure"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			address, insecure := strings.Join(inv.Args(), ""), inv.Is("insecure")
			if address == "" {
				address, insecure = ownAddress(inv.Getenv)
			}
			target, err := healthURL(address)
			if err != nil {
				return err
			}
			limit, err := inv.Duration("timeout")
			if err != nil {
				return err
			}
			if limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, limit)
				defer cancel()
			}
			h, err := askHealth(ctx, target, insecure)
			if err != nil {
				return err
			}
			if err := command.Write(inv.Out, []byte(h.String())); err != nil {
				return err
			}
			if !h.ready {
				return command.ErrNo
			}
			return nil
		}),
	})
}

// ownAddress returns the URL of the server that is configured by the same environment, as in a
// container. Its certificate names the public address and not this machine's, so any is accepted. The
// address for operators comes first: it asks nobody for a certificate.
func ownAddress(getenv func(string) string) (address string, insecure bool) {
	if ops := getenv("ROGET_OPS_ADDR"); ops != "" {
		return localAddress("http", ops), false
	}
	if getenv("ROGET_TLS_CERT") != "" {
		return localAddress("https", getenv("ROGET_ADDR")), true
	}
	return localAddress("http", getenv("ROGET_ADDR")), false
}

// localAddress returns the URL at which a server that listens on addr answers on this machine.
func localAddress(scheme, addr string) string {
	host, port, err := net.SplitHostPort(cmp.Or(addr, "127.0.0.1:8080"))
	if err != nil {
		return scheme + "://" + addr // whose error names it
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// healthURL completes the address of a check.
func healthURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", command.Usagef("%q is not the address of a server; write http://HOST:PORT or https://HOST:PORT", address)
	}
	if !strings.HasSuffix(u.Path, "/readyz") && !strings.HasSuffix(u.Path, "/healthz") {
		u = u.JoinPath("readyz")
	}
	return u.String(), nil
}

// A health is the answer of a server to the question whether it is ready.
type health struct {
	ready  bool
	Status string `json:"status"`
	Failed []struct {
		Check   string `json:"check"`
		Problem string `json:"problem"`
	} `json:"failed"`
}

func (h *health) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, command.Printable(h.Status))
	for _, f := range h.Failed {
		fmt.Fprintln(&b, command.Printable(f.Check+": "+f.Problem))
	}
	return b.String()
}

// askHealth asks the server at target. An answer other than 200 and 503 is an error: it is not from
// the check of a server.
func askHealth(ctx context.Context, target string, insecure bool) (*health, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: insecure}}, //nolint:gosec // by --insecure only
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	h := &health{ready: resp.StatusCode == http.StatusOK}
	if !h.ready && resp.StatusCode != http.StatusServiceUnavailable {
		hint := "is it the address of roget serve?"
		if req.URL.Scheme == "http" && resp.StatusCode == http.StatusBadRequest {
			hint = "if it speaks HTTPS, write https://" + req.URL.Host
		}
		return nil, fmt.Errorf("%s answers with status %d; %s", target, resp.StatusCode, hint)
	}
	if json.Unmarshal(body, h) != nil || h.Status == "" { // a server before us answers
		h.Status = resp.Status
	}
	return h, nil
}
