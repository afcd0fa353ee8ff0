package cliadapter

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
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
			"that it is not, and 3 if it does not answer. Proxies in the environment are not used.\n\n" +
			"A server with --tls-client-ca asks for a certificate here too. Name one with --cert and --key, or let the server listen at " +
			"--ops-addr as well, which asks for none.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "timeout", Value: "5s", Usage: "`DURATION` Time limit for the answer; 0 for no limit."},
			&cli.BoolFlag{Name: "insecure", Usage: "Accept any certificate, as for a server on the same machine whose certificate names another address."},
			&command.Flag{Env: "ROGET_HEALTH_CERT", StringFlag: cli.StringFlag{Name: "cert", TakesFile: true, Usage: "`FILE` Certificate to show to a server that asks for one, in PEM. Without an address and this flag, that of ROGET_TLS_CERT if the server accepts its issuer."}},
			&command.Flag{Env: "ROGET_HEALTH_KEY", StringFlag: cli.StringFlag{Name: "key", TakesFile: true, Usage: "`FILE` Private key of --cert, in PEM."}},
		},
	}, command.Details{
		Access: command.Reads,
		Args: []command.Argument{{Name: "URL", Usage: "Address of the check. Without it, /readyz at the address in ROGET_OPS_ADDR or ROGET_ADDR, " +
			"or at 127.0.0.1:8080; by HTTPS with any certificate if ROGET_TLS_CERT is set. The path /readyz may be left out."}},
		Examples: []string{"roget health", "roget health https://127.0.0.1:8443 --insecure"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			check := healthCheck{
				target: strings.Join(inv.Args(), ""), insecure: inv.Is("insecure"), cert: inv.Text("cert"), key: inv.Text("key"),
			}
			if (check.cert == "") != (check.key == "") {
				return command.Usagef("--cert and --key need each other")
			}
			if check.target == "" {
				check.own(inv.Getenv)
			}
			target, err := healthURL(check.target)
			if err != nil {
				return err
			}
			check.target = target
			limit, err := inv.Duration("timeout")
			if err != nil {
				return err
			}
			if limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, limit)
				defer cancel()
			}
			h, err := check.ask(ctx)
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

// A healthCheck is the question whether a server is ready.
type healthCheck struct {
	target    string // URL
	insecure  bool   // any certificate of the server is accepted
	cert, key string // files of the certificate to show, "" for none
}

// own directs the check to the server that is configured by the same environment, as in a container.
// The certificate of that server names the public address and not this machine's, so any is accepted.
// The address for operators comes first: it asks nobody for a certificate. To a server that does, the
// check shows the certificate of the server itself if there is no other. TLS sends it only if the
// server accepts its issuer.
func (h *healthCheck) own(getenv func(string) string) {
	ops, cert := getenv("ROGET_OPS_ADDR"), getenv("ROGET_TLS_CERT")
	switch {
	case ops != "":
		h.target, h.insecure = localAddress("http", ops), false
	case cert != "":
		h.target, h.insecure = localAddress("https", getenv("ROGET_ADDR")), true
		if h.cert == "" && getenv("ROGET_TLS_CLIENT_CA") != "" && getenv("ROGET_TLS_CLIENT_AUTH") != "optional" {
			h.cert, h.key = cert, getenv("ROGET_TLS_KEY")
		}
	default:
		h.target, h.insecure = localAddress("http", getenv("ROGET_ADDR")), false
	}
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
	Running []struct {
		Check    string `json:"check"`
		Progress string `json:"progress"`
	} `json:"running"`
}

func (h *health) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, command.Printable(h.Status))
	for _, f := range h.Failed {
		fmt.Fprintln(&b, command.Printable(f.Check+": "+f.Problem))
	}
	for _, r := range h.Running {
		fmt.Fprintln(&b, command.Printable(r.Check+": "+r.Progress))
	}
	return b.String()
}

// config returns the configuration of TLS.
func (h *healthCheck) config() (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: h.insecure} //nolint:gosec // by --insecure only
	if h.cert == "" {
		return config, nil
	}
	cert, err := readSmall(h.cert, maxHealth)
	if err != nil {
		return nil, fmt.Errorf("the certificate to show: %w", err)
	}
	key, err := readSmall(h.key, maxHealth)
	if err != nil {
		return nil, fmt.Errorf("the private key of the certificate to show: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s are no certificate with its key: %w", h.cert, h.key, err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// ask asks the server. An answer other than 200 and 503 is an error: it is not from the check of a
// server.
func (h *healthCheck) ask(ctx context.Context) (*health, error) {
	config, err := h.config()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.target, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: config},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		if failed, is := errors.AsType[*net.OpError](err); is && failed.Op != "dial" && req.URL.Scheme == "https" {
			err = fmt.Errorf("%w; if the server asks for certificates of clients, name one that it accepts with --cert and --key, or ask the address of its --ops-addr", err)
		}
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h.target, err)
	}
	return readHealth(req, resp, body)
}

// readHealth reads the answer of a server.
func readHealth(req *http.Request, resp *http.Response, body []byte) (*health, error) {
	h := &health{ready: resp.StatusCode == http.StatusOK}
	if !h.ready && resp.StatusCode != http.StatusServiceUnavailable {
		hint := "is it the address of roget serve?"
		if req.URL.Scheme == "http" && resp.StatusCode == http.StatusBadRequest {
			hint = "if it speaks HTTPS, write https://" + req.URL.Host
		}
		return nil, fmt.Errorf("%s answers with status %d; %s", req.URL, resp.StatusCode, hint)
	}
	if json.Unmarshal(body, h) != nil || h.Status == "" { // a server before us answers
		h.Status = resp.Status
	}
	return h, nil
}
