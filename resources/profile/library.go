package profile

import (
	"context"
	"strconv"
	"sync"

	"github.com/roget-health/roget/resources/document"
)

// A Library is a Source in memory. The zero value is empty. It is safe for concurrent use.
type Library struct {
	mu      sync.Mutex
	bodies  map[string][]byte // by url, and by url|version
	changes int
}

// Add adds a StructureDefinition, which replaces one with the same url and version. It reports
// whether the document is one with a url.
func (l *Library) Add(d *document.Document) bool {
	url := d.Root().Get("url").Text()
	if d.ResourceType() != "StructureDefinition" || url == "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bodies == nil {
		l.bodies = map[string][]byte{}
	}
	l.changes++
	l.bodies[url] = d.Source()
	if version := d.Root().Get("version").Text(); version != "" {
		l.bodies[url+"|"+version] = d.Source()
	}
	return true
}

// Definition implements Source. Without a version it returns the definition that was added last.
func (l *Library) Definition(_ context.Context, url, version string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if version != "" {
		url += "|" + version
	}
	return l.bodies[url], nil
}

// Generation implements Source.
func (l *Library) Generation(context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strconv.Itoa(l.changes), nil
}
