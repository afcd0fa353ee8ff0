package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user of the program in the image. Its number is one that Kubernetes accepts as not being root,
// and belongs to nobody on common systems.
const (
	imageUser = "roget"
	imageID   = 65532
)

// imageData is the data folder in the image.
const imageData = "/var/lib/roget"

// image writes an image for containers, with a part for each processor, as an archive of the layout
// of the Open Container Initiative. There is nothing in it but the program and what it reads.
func (r *release) image() error {
	folder := filepath.Join(r.work, "image")
	target, err := layout.Write(folder, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range r.built {
		if b.platform.os != "linux" {
			continue
		}
		img, err := r.imageFor(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: b.platform.os, Architecture: b.platform.arch},
		}})
	}
	name := map[string]string{"org.opencontainers.image.ref.name": r.version.number()}
	if err := target.AppendIndex(index, layout.WithAnnotations(name)); err != nil {
		return err
	}
	return r.tarFolder(folder, "roget_"+r.version.number()+"_oci.tar")
}

// imageFor returns the image for one processor.
func (r *release) imageFor(b *build) (v1.Image, error) {
	var raw bytes.Buffer
	owners := func(name string) owner {
		if strings.HasPrefix("/"+name, imageData+"/") {
			return owner{imageID, imageUser}
		}
		return owner{0, "root"}
	}
	if err := writeTar(&raw, r.imageFiles(b), r.date, owners); err != nil {
		return nil, err
	}
	packed, err := compressed(raw.Bytes())
	if err != nil {
		return nil, err
	}
	layer := packedLayer{static.NewLayer(packed, types.OCILayer), raw.Bytes()}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{
		Created: v1.Time{Time: r.date}, CreatedBy: "packaging of roget", Comment: "the program, its certificates and its user",
	}})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, r.imageConfig(b, img))
}

// imageFiles returns the root folder of the image.
func (r *release) imageFiles(b *build) []file {
	users := fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\n%[1]s:x:%[2]d:%[2]d:%[1]s:%[3]s:/sbin/nologin\n", imageUser, imageID, imageData)
	groups := fmt.Sprintf("root:x:0:\n%s:x:%d:\n", imageUser, imageID)
	return []file{
		{"etc/group", []byte(groups), 0o644},
		{"etc/passwd", []byte(users), 0o644},
		{"etc/ssl/certs/ca-certificates.crt", certificates(), 0o644},
		{"tmp/", nil, 0o777 | fs.ModeSticky},
		{"usr/bin/roget", b.program, 0o755},
		{"usr/share/doc/roget/THIRD_PARTY_LICENSES.txt", r.notices(b), 0o644},
		{imageData[1:] + "/", nil, 0o700},
	}
}

// imageConfig returns how containers of the image run. Docker and Podman know the health check; the
// specification of images has none, and lets others ignore it.
func (r *release) imageConfig(b *build, img v1.Image) *v1.ConfigFile {
	file, err := img.ConfigFile()
	if err != nil {
		panic(err) // of an image in memory, which has one
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = b.platform.os, b.platform.arch, v1.Time{Time: r.date}
	file.Config = v1.Config{
		User:         fmt.Sprintf("%d:%[1]d", imageID),
		Entrypoint:   []string{"/usr/bin/roget"},
		Cmd:          []string{"serve"},
		Env:          []string{"PATH=/usr/bin", "ROGET_ADDR=:8080", "ROGET_DATA=" + imageData},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{imageData: {}},
		WorkingDir:   imageData,
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/usr/bin/roget", "health"}, Interval: 10 * time.Second, Timeout: 6 * time.Second, StartPeriod: 2 * time.Minute, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Roget",
			"org.opencontainers.image.description": "FHIR R4 terminology engine and resource server",
			"org.opencontainers.image.url":         "https://" + b.info.Main.Path,
			"org.opencontainers.image.source":      "https://" + b.info.Main.Path,
			"org.opencontainers.image.version":     r.version.number(),
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.date.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return file
}

// certificates returns the roots that Mozilla trusts without conditions, as a library of Go's authors
// has them.
func certificates() []byte {
	var list bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&list, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes all
		}
	}
	return list.Bytes()
}

// A packedLayer is a layer whose bytes are there in both forms.
type packedLayer struct {
	v1.Layer
	raw []byte
}

// DiffID returns the digest of the layer as it is when unpacked.
func (l packedLayer) DiffID() (v1.Hash, error) {
	sum, _, err := v1.SHA256(bytes.NewReader(l.raw))
	return sum, err
}

// Uncompressed returns the layer as it is when unpacked.
func (l packedLayer) Uncompressed() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(l.raw)), nil
}

// tarFolder writes a folder as an archive.
func (r *release) tarFolder(folder, name string) error {
	var files []file
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		files = append(files, file{filepath.ToSlash(relative), data, 0o644})
		return err
	})
	if err != nil {
		return err
	}
	out, err := r.create(name)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if err := writeTar(out, files, r.date, func(string) owner { return owner{0, "root"} }); err != nil {
		return err
	}
	return out.Close()
}
