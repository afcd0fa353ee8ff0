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

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources/bulk"
)

// importToken is the variable with the token for manifests and their files.
const importToken = "ROGET_IMPORT_TOKEN" //nolint:gosec // the name of a variable

// isLocal reports whether a host, with or without a port, is this machine.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// A Remote reads files of named hosts, by https unless the host is this machine. It follows no
// redirections.
type Remote struct {
	hosts  []string // each with its port if it has one
	flag   string   // that names hosts
	local  bool     // for a command of the user: one port of this machine stands for all
	token  auth.Secret
	client *http.Client
}

// NewRemote returns a Remote for the hosts of a flag.
func NewRemote(flag string, hosts []string) *Remote {
	return &Remote{hosts: hosts, flag: flag, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: time.Minute, ResponseHeaderTimeout: time.Minute},
	}}
}

// remote returns what opens URLs for an import: on the hosts of the arguments and of --host.
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
	r := NewRemote("host", hosts)
	r.local, r.token = true, auth.NewSecret(strings.TrimSpace(inv.Getenv(importToken)))
	return r.Open, nil
}

// Check returns an error with the remedy for a URL that is not read.
func (r *Remote) Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case !bulk.IsURL(address) || u.Host == "":
		return errors.New("this is not an https URL")
	case u.User != nil && !r.local:
		return errors.New("no credentials are sent; leave them out, or have the URL signed")
	}
	local := isLocal(u.Host)
	switch {
	case !slices.ContainsFunc(r.hosts, func(host string) bool {
		return strings.EqualFold(host, strings.TrimSuffix(u.Host, ":443")) || strings.EqualFold(host, u.Host) || r.local && local && isLocal(host)
	}):
		return fmt.Errorf("the file is on the host %.100q: allow it with --%s %[1]s", u.Host, r.flag)
	case !local && u.Scheme != "https":
		return errors.New("only https is read from other machines")
	}
	return nil
}

// Open opens the file at a URL. Reading it fails if the host sends nothing for a while.
func (r *Remote) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	if err := r.Check(address); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel(err)
		return nil, err
	}
	request.Header.Set("Accept", "application/fhir+ndjson, application/json;q=0.9")
	if !r.token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+r.token.Reveal())
	}
	answer, err := r.client.Do(request)
	if err != nil {
		cancel(err)
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		err := fmt.Errorf("the server answers %s", answer.Status)
		cancel(err)
		_ = answer.Body.Close()
		return nil, err
	}
	return &remoteBody{ReadCloser: answer.Body, ctx: ctx, cancel: cancel}, nil
}

// maxSilence is how long a host may send nothing.
const maxSilence = time.Minute

// A remoteBody is a file that is being read.
type remoteBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *remoteBody) Read(p []byte) (int, error) {
	timer := time.AfterFunc(maxSilence, func() { b.cancel(fmt.Errorf("the host has sent nothing for %s", maxSilence)) })
	n, err := b.ReadCloser.Read(p)
	timer.Stop()
	if err != nil && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// Close implements io.Closer.
func (b *remoteBody) Close() error {
	b.cancel(context.Canceled)
	return b.ReadCloser.Close()
}
