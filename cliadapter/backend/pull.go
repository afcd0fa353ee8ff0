package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/internal/durable"
	"github.com/roget-health/roget/resources/bulk"
)

// Names in a data folder: packs that are being fetched, and the manifest of those that it has.
const (
	incomingFolder = "incoming"
	pulledName     = "pulled.json"
)

// Bounds of what is pulled.
const (
	maxPulledManifest = 1 << 20
	maxPulled         = 64 << 30 // bytes of the packs in a manifest
	pullStall         = time.Minute
	leastPullEvery    = time.Second
)

// A puller takes up what roget publish has put at an address. It fetches packs beside those in use, and
// moves them there when all have come and are sound.
type puller struct {
	dir    *datadir.Dir
	from   *url.URL // of the folder
	where  string   // for people, without secrets
	client *http.Client
	every  time.Duration
	log    *slog.Logger
	wake   chan struct{}

	body, tag string      // of the last manifest that was taken up
	failing   atomic.Bool // at the last attempt
	has       atomic.Bool // something that was published is in the data folder
	served    atomic.Bool // and the server answers from it
}

// packsAt returns the address of published packs, and its name without secrets.
func packsAt(address string) (from *url.URL, where string, err error) {
	if !strings.Contains(address, "://") {
		return &url.URL{Scheme: "file", Path: "/"}, absolute(address), nil
	}
	from, err = url.Parse(address)
	if err != nil || !bulk.IsURL(address) || from.Host == "" { // the error may repeat a secret
		return nil, "", &cliadapter.UsageError{Err: errors.New("--packs must be a folder, or an address such as https://files.example.org/packs")}
	}
	return from, from.Scheme + "://" + from.Host + from.Path, nil
}

// openPuller makes the server one that takes up published packs, if the options say so. reload publishes
// what the data folder has.
func (s *Service) openPuller(o *cliadapter.ServeOptions, reload func(context.Context) error) (err error) {
	if o.Packs == "" {
		return nil
	}
	p := &puller{dir: s.dir, every: max(o.PacksEvery, leastPullEvery), log: o.Logger, wake: make(chan struct{}, 1), client: &http.Client{}}
	if p.from, p.where, err = packsAt(o.Packs); err != nil {
		return err
	}
	p.client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		r.Header.Del("Referer") // may have a secret
		if len(via) > 9 || r.URL.Scheme != p.from.Scheme {
			return errors.New("it redirects too often, or to another scheme")
		}
		return nil
	}
	p.client.Transport = http.NewFileTransport(http.Dir(p.where))
	if p.from.Scheme != "file" {
		p.client.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: pullStall, ResponseHeaderTimeout: pullStall, DisableCompression: true, ForceAttemptHTTP2: true}
	}
	has := func() bool { _, err := os.Stat(s.dir.Path(pulledName)); return err == nil }()
	p.has.Store(has)
	p.served.Store(has)
	s.puller = p
	s.checks = append(s.checks, httpadapter.Check{
		Name: "packs", Problem: "published packs were not taken up yet",
		Test: func(context.Context) error {
			if !p.served.Load() {
				return errors.New("nothing that was published is in the data folder")
			}
			return nil
		},
		Progress: func() string {
			if p.failing.Load() {
				return "published packs could not be taken up; the server answers from what it has"
			}
			return ""
		},
	})
	s.onReload("published packs", func(ctx context.Context) error {
		select {
		case p.wake <- struct{}{}:
		default:
		}
		has := p.has.Load()
		err := reload(ctx)
		p.served.Store(has)
		return err
	}, func() bool { return p.has.Load() != p.served.Load() })
	return nil
}

// start pulls until ctx ends or the returned function is called. After failures it waits longer.
func (p *puller) start(ctx context.Context) (stop func()) {
	if p == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		for wait := p.every; ; {
			err := p.pull(ctx)
			if ctx.Err() != nil {
				return
			}
			p.failing.Store(err != nil)
			if err == nil {
				wait = p.every
			} else {
				wait = min(2*wait, 16*p.every)
				p.log.Error("published packs could not be taken up; the former state stays in force", "from", p.where, "err", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-p.wake:
			case <-time.After(wait*9/10 + rand.N(wait/5)): //nolint:gosec // not all servers at once
			}
		}
	})
	return func() { cancel(); group.Wait() }
}

// pull takes up what is new. Of several servers on one data folder one does so.
func (p *puller) pull(ctx context.Context) error {
	unlock, err := durable.TryLock(p.dir.Path("pull.lock"))
	if unlock == nil {
		return err
	}
	defer unlock()
	body, tag, err := p.manifest(ctx)
	if err != nil {
		return err
	}
	if body == p.body {
		p.tag = tag // not before: two manifests of one second may have the same
		return nil
	}
	m, err := parseManifest(manifestName, []byte(body), isPublished)
	if err != nil {
		return err
	}
	if m.size() > maxPulled {
		return fmt.Errorf("the packs have %d bytes, more than the %d that are taken up", m.size(), int64(maxPulled))
	}
	had := map[string]bool{}
	switch data, err := os.ReadFile(p.dir.Path(pulledName)); {
	case err == nil:
		before, err := parseManifest(p.dir.Path(pulledName), data, isPublished)
		if err != nil {
			return fmt.Errorf("%w; remove it, then all packs are fetched again", err)
		}
		for _, f := range before.Files {
			had[f.SHA256] = true
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	incoming := p.dir.Path(incomingFolder)
	if err := os.MkdirAll(incoming, 0o700); err != nil {
		return err
	}
	var packs []datadir.Foreign
	for _, f := range m.Files {
		if had[f.SHA256] {
			continue
		}
		path := filepath.Join(incoming, f.SHA256)
		if err := p.fetch(ctx, f, path); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		packs = append(packs, datadir.Foreign{Path: path, Number: publishedNumber(f)})
	}
	if len(packs) > 0 {
		if err := p.dir.Adopt(ctx, packs); err != nil {
			return err
		}
		p.log.Info("published packs were fetched", "from", p.where, "packs", len(packs))
	}
	written := filepath.Join(incoming, manifestName)
	_ = os.Remove(written) // of an attempt that was interrupted
	if err := m.write(incoming); err != nil {
		return err
	}
	if err := os.Rename(written, p.dir.Path(pulledName)); err != nil {
		return err
	}
	if err := durable.SyncFolder(p.dir.Path("")); err != nil {
		return err
	}
	p.body, p.tag = body, ""
	p.has.Store(true)
	return os.RemoveAll(incoming)
}

// manifest returns the manifest and its tag.
func (p *puller) manifest(ctx context.Context) (body, tag string, err error) {
	response, done, err := p.get(ctx, manifestName, "If-None-Match", p.tag) //nolint:bodyclose // done does
	if err != nil {
		return "", "", err
	}
	defer done()
	if response.StatusCode == http.StatusNotModified {
		return p.body, p.tag, nil
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxPulledManifest+1))
	if err == nil && len(data) > maxPulledManifest {
		err = fmt.Errorf("%s has more than %d bytes", manifestName, maxPulledManifest)
	}
	return string(data), response.Header.Get("ETag"), err
}

// fetch makes the file at a path that of the manifest. It goes on where it was interrupted.
func (p *puller) fetch(ctx context.Context, f manifestFile, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	at, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if at < f.Size {
		interval := ""
		if at > 0 {
			interval = fmt.Sprintf("bytes=%d-", at)
		}
		response, done, err := p.get(ctx, f.Name, "Range", interval) //nolint:bodyclose // done does
		if err != nil {
			return err
		}
		defer done()
		if !strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", at)) {
			at = 0
			if _, err = file.Seek(0, io.SeekStart); err == nil {
				err = file.Truncate(0)
			}
		}
		var n int64
		if err == nil {
			n, err = io.Copy(file, io.LimitReader(response.Body, f.Size-at+1))
		}
		at += n
		switch {
		case errors.Is(err, syscall.ENOSPC):
			_ = os.Remove(path) // others need what is left
			return err
		case err != nil || at < f.Size:
			return fmt.Errorf("it ended after %d of %d bytes: %w", at, f.Size, cmp.Or(err, io.ErrUnexpectedEOF))
		}
	}
	if size, digest, err := digestFile(ctx, path); err != nil || size != f.Size || digest != f.SHA256 {
		_ = os.Remove(path)
		return cmp.Or(err, fmt.Errorf("the file has not the %d bytes with the SHA-256 %s of the manifest", f.Size, f.SHA256))
	}
	return nil
}

// get asks for a file in the folder, with a header unless its value is "". It stops when nothing comes for
// a while. done ends the response.
func (p *puller) get(ctx context.Context, name, header, value string) (response *http.Response, done func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.from.JoinPath(name).String(), http.NoBody)
	if err == nil {
		if value != "" {
			r.Header.Set(header, value)
		}
		response, err = p.client.Do(r)
	}
	if wrapped, is := errors.AsType[*url.Error](err); is {
		err = wrapped.Err // without the address, which may have a secret
	}
	switch {
	case err != nil:
		cancel(nil)
		return nil, nil, err
	case response.StatusCode == http.StatusOK, response.StatusCode == http.StatusPartialContent && header == "Range", response.StatusCode == http.StatusNotModified && value != "":
		timer := time.AfterFunc(pullStall, func() { cancel(errors.New("nothing came for a minute")) })
		response.Body = stalling{response.Body, timer, func() error { return context.Cause(ctx) }}
		return response, func() { timer.Stop(); cancel(nil); response.Body.Close() }, nil
	}
	response.Body.Close()
	cancel(nil)
	return nil, nil, fmt.Errorf("the server responds with %s", response.Status)
}

// stalling is a body that puts off a timer with each read.
type stalling struct {
	io.ReadCloser
	timer *time.Timer
	cause func() error // of its end, nil before
}

func (s stalling) Read(p []byte) (n int, err error) {
	s.timer.Reset(pullStall)
	if n, err = s.ReadCloser.Read(p); err != nil {
		err = cmp.Or(s.cause(), err)
	}
	return n, err
}
