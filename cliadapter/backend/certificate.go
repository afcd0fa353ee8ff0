package backend

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/roget-health/roget/adapters/certfile"
	"github.com/roget-health/roget/cliadapter"
)

// certificateEvery is how often the files of the certificate are compared with what is in use.
const certificateEvery = 10 * time.Second

// A certificate is what the service proves its name with. It has no source for plain HTTP.
type certificate struct{ source *certfile.Source }

// openCertificate reads the certificate that the options name, if any.
func openCertificate(o *cliadapter.ServeOptions) (certificate, error) {
	if o.Edge.Cert == "" {
		return certificate{}, nil
	}
	source, err := certfile.Open(certfile.Files{
		Cert: o.Edge.Cert, Key: o.Edge.Key, ClientCA: o.Edge.ClientCA, ClientOptional: o.Edge.ClientOptional,
	}, o.Logger)
	if err != nil {
		return certificate{}, fmt.Errorf("--tls-cert: %w", err)
	}
	return certificate{source}, nil
}

// config returns the configuration of a listener, nil for plain HTTP.
func (c certificate) config() *tls.Config {
	if c.source == nil {
		return nil
	}
	return c.source.Config()
}

// url returns the URL of a listener.
func (c certificate) url(addr net.Addr) string {
	url := baseURL(addr)
	if c.source != nil {
		url = "https" + strings.TrimPrefix(url, "http")
	}
	return url
}

// watch takes up changes of the files, also on SIGHUP. The returned function ends that.
func (c certificate) watch(ctx context.Context, svc *Service) (stop func()) {
	if c.source == nil {
		return func() {}
	}
	svc.onReload("certificate", c.source.Reload, nil)
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { c.source.Watch(ctx, certificateEvery) })
	return func() {
		cancel()
		group.Wait()
	}
}
