package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// FeedURL is the public list of releases, the only address outside the platform that an audit requests.
const FeedURL = "https://releases.dhis2.org/v1/versions/stable.json"

const (
	feedFile = "releases.json"
	feedAge  = time.Hour // how long a copy of the feed is used
	maxFeed  = 1 << 20   // bytes
)

// A Feed reads the list of releases and keeps a copy of it for an hour.
type Feed struct {
	Transport http.RoundTripper // nil: http.DefaultTransport
	UserAgent string
	Folder    string           // of the copy; "" for none
	Now       func() time.Time // nil: time.Now
}

// Read returns the feed. It is an Options.Releases.
func (f Feed) Read(ctx context.Context) ([]byte, error) {
	now := time.Now
	if f.Now != nil {
		now = f.Now
	}
	if copied := f.kept(now()); copied != nil {
		return copied, nil
	}
	text, err := f.fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("the feed of releases could not be read: %w", err)
	}
	if _, err := ParseReleases(text); err == nil {
		f.keep(text)
	}
	return text, nil
}

func (f Feed) fetch(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, FeedURL, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", f.UserAgent)
	client := &http.Client{Transport: f.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxFeed+1))
	if err == nil && len(text) > maxFeed {
		err = fmt.Errorf("it is longer than %d bytes", maxFeed)
	}
	return text, err
}

// kept returns the copy if it is fresh, else nil.
func (f Feed) kept(now time.Time) []byte {
	if f.Folder == "" {
		return nil
	}
	file, err := os.Open(filepath.Join(f.Folder, feedFile))
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() > maxFeed || now.Sub(info.ModTime()).Abs() > feedAge {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFeed))
	if err != nil {
		return nil
	}
	if _, err := ParseReleases(text); err != nil {
		return nil
	}
	return text
}

// keep writes the copy. That it cannot be written does no harm.
func (f Feed) keep(text []byte) {
	if f.Folder == "" || os.MkdirAll(f.Folder, 0o700) != nil {
		return
	}
	file, err := os.CreateTemp(f.Folder, ".new-*")
	if err != nil {
		return
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(f.Folder, feedFile))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
}
