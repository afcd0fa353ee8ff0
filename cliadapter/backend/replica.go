package backend

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// written returns the function that returns the last Seq that the store has written, nil if it does not know.
func (s *Service) written() func() index.Seq {
	if store, can := s.store.(resources.Sequenced); can {
		return store.Written
	}
	return nil
}

// seqEvery is the time between two looks at a standby for a Seq.
const seqEvery = 10 * time.Millisecond

// afterWrites returns a handler that answers a request with a Seq when the store has that write: a
// standby may not have it yet.
func (s *Service) afterWrites(wait time.Duration, handler http.Handler) http.Handler {
	store, can := s.store.(resources.Indexed)
	if !can {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text := r.Header.Get(httpadapter.HeaderSeq); text != "" {
			seq, err := strconv.ParseInt(text, 10, 64)
			if err != nil || seq < 0 {
				refuse(w, http.StatusBadRequest, "value", fmt.Sprintf("%s: %.40q is not a number that a write was answered with", httpadapter.HeaderSeq, text))
				return
			}
			if err := await(r.Context(), store, index.Seq(seq), wait); err != nil {
				refuse(w, http.StatusServiceUnavailable, "transient", "this server does not have the write "+text+" yet; try again, or another server")
				return
			}
		}
		handler.ServeHTTP(w, r)
	})
}

// await waits until a store has what was written up to a Seq.
func await(ctx context.Context, store resources.Indexed, seq index.Seq, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		var at index.Seq
		err := store.View(ctx, func(r index.Reader) error { at = r.At(); return nil })
		if err != nil || at >= seq {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(seqEvery):
		}
	}
}

// headerForwarded marks a request that was forwarded, so that two standbys do not send it to and fro.
const headerForwarded = "X-Roget-Forwarded"

// forwarding returns a handler that sends what writes to the server --writer while the store is a standby.
func (s *Service) forwarding(o *cliadapter.ServeOptions, handler http.Handler) (http.Handler, error) {
	standby, can := s.store.(resources.Standby)
	if o.Writer == "" || !can {
		return handler, nil
	}
	writer, err := url.Parse(o.Writer)
	if err != nil || writer.Scheme != "http" && writer.Scheme != "https" || writer.Host == "" {
		return nil, &cliadapter.UsageError{Err: fmt.Errorf("--writer: %q is not the address of a server, such as http://10.0.0.5:8080", o.Writer)}
	}
	changes := []string{"$meta-add", "$meta-delete", "$import"}
	for _, op := range operation.All() {
		if op.AffectsState && op.Stored {
			changes = append(changes, "$"+op.Name)
		}
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(writer)
			r.Out.Host = r.In.Host // for the links in the answer
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			r.SetXForwarded()
			r.Out.Header.Set(headerForwarded, "1")
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.log.Warn("the writer does not answer", "writer", writer.Redacted(), "err", err)
			refuse(w, http.StatusBadGateway, "transient", "the server that writes did not answer; whether it has done the request is not known")
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !standby.ReadsOnly() || r.Header.Get(headerForwarded) != "" || !writes(r, changes) {
			handler.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), orForever(o.Timeout))
		defer cancel()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	}), nil
}

// writes reports whether a request changes resources, or may: a bundle. changes are the operations that do.
func writes(r *http.Request, changes []string) bool {
	last := path.Base(r.URL.Path)
	switch r.Method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	case http.MethodPost:
		if strings.HasPrefix(last, "$") {
			return slices.Contains(changes, last)
		}
		return last != "_search" && !strings.Contains(r.URL.Path, "/ui") && last != "mcp"
	}
	return false
}
