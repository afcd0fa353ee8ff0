package uiadapter

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files that pages load. All style sheets are one file, and so are all scripts of our
// own: a page loads three files, which browsers keep for ever because their names change with their
// content.
type assets struct {
	files map[string]asset  // by name with hash
	names map[string]string // name with hash by name without
}

type asset struct {
	kind string
	body []byte
}

// firstAssets come before the others, because the others rely on them.
var firstAssets = [...]string{"assets/base.css", "assets/base.js"}

// readAssets joins the files.
func readAssets() (*assets, error) {
	a := &assets{files: map[string]asset{}, names: map[string]string{}}
	for _, bundle := range []struct{ name, pattern, kind string }{
		{"page.css", "assets/*.css", "text/css; charset=utf-8"},
		{"page.js", "assets/*.js", "text/javascript; charset=utf-8"},
		{"htmx.js", "assets/htmx.min.js", "text/javascript; charset=utf-8"},
		{"icon.svg", "assets/icon.svg", "image/svg+xml"},
	} {
		files, err := fs.Glob(assetFiles, bundle.pattern)
		if err != nil {
			return nil, err
		}
		sortBy(files, func(x, y string) int {
			return strings.Compare(rank(x)+x, rank(y)+y)
		})
		var body bytes.Buffer
		for _, file := range files {
			if strings.HasSuffix(file, ".min.js") && bundle.name == "page.js" {
				continue
			}
			content, err := assetFiles.ReadFile(file)
			if err != nil {
				return nil, err
			}
			body.Write(content)
			body.WriteByte('\n')
		}
		a.add(bundle.name, bundle.kind, body.Bytes())
	}
	return a, nil
}

func rank(file string) string {
	if slices.Contains(firstAssets[:], file) {
		return "0"
	}
	return "1"
}

func (a *assets) add(name, kind string, body []byte) {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext
	a.files[hashed] = asset{kind, body}
	a.names[name] = hashed
}

// link returns the relative address of a file.
func (a *assets) link(name string) (string, error) {
	hashed, found := a.names[name]
	if !found {
		return "", fmt.Errorf("there is no asset %s", name)
	}
	return "assets/" + hashed, nil
}

// ServeHTTP serves a file.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, found := a.files[r.PathValue("name")]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", file.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.body))
}
