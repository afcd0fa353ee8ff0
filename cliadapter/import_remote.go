package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources/bulk"
)

// importToken is the variable with the token for manifests and their files.
const importToken = "ROGET_IMPORT_TOKEN" //nolint:gosec // the name of a variable

// isLocal reports whether a host, with or without a port, is this machine.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// remote returns a function that opens URLs for an import: on the hosts of the arguments and of --host,
// by https unless the host is this machine. It follows no redirections.
func (inv *invocation) remote() (func(ctx context.Context, address string) (io.ReadCloser, error), error) {
	hosts := inv.List("host")
	for _, path := range inv.Args() {
		if !bulk.IsURL(path) {
			continue
		}
		u, err := url.Parse(path)
		if err != nil {
			return nil, command.Usagef("%s is not a URL: %v", path, err)
		}
		hosts = append(hosts, u.Host)
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: time.Minute, ResponseHeaderTimeout: time.Minute},
	}
	token := strings.TrimSpace(inv.Getenv(importToken))
	return func(ctx context.Context, address string) (io.ReadCloser, error) {
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		local := isLocal(u.Host)
		switch {
		case !slices.ContainsFunc(hosts, func(host string) bool { return strings.EqualFold(host, u.Host) || local && isLocal(host) }):
			return nil, fmt.Errorf("the file is on the host %.100q: allow it with --host %[1]s", u.Host)
		case !local && u.Scheme != "https":
			return nil, errors.New("only https is read from other machines")
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Accept", "application/fhir+ndjson, application/json;q=0.9")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusOK {
			_ = answer.Body.Close()
			return nil, fmt.Errorf("the server answers %s", answer.Status)
		}
		return answer.Body, nil
	}, nil
}
