package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
	"github.com/samber/lo"
)

// sbom writes the list of what is linked into the program, in the form of CycloneDX.
func (r *release) sbom(_ context.Context, b *build) error {
	sum := sha256.Sum256(b.program)
	list := cdx.NewBOM()
	list.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, append([]byte(b.platform.String()+" "), sum[:]...)).URN()
	list.Metadata = &cdx.Metadata{
		Timestamp:  r.date.Format(time.RFC3339),
		Lifecycles: &[]cdx.Lifecycle{{Phase: cdx.LifecyclePhaseBuild}},
		Properties: &[]cdx.Property{{Name: "go:platform", Value: b.platform.String()}, {Name: "git:commit", Value: r.commit}},
	}
	var components []cdx.Component
	var uses []cdx.Dependency
	for _, m := range b.modules {
		c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.path, Version: r.componentVersion(b, m.path, m.version), Licenses: choices(m.ids())}
		c.PackageURL = purl(c.Name, c.Version)
		c.BOMRef = c.PackageURL
		used := lo.Map(m.uses, func(path string, _ int) string {
			return purl(path, r.componentVersion(b, path, b.versionOf(path)))
		})
		uses = append(uses, cdx.Dependency{Ref: c.BOMRef, Dependencies: &used})
		if m.path != b.info.Main.Path {
			components = append(components, c)
			continue
		}
		c.Type = cdx.ComponentTypeApplication
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
		list.Metadata.Component = &c
	}
	list.Components, list.Dependencies = &components, &uses
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, cdx.SpecVersion1_6); err != nil {
		return err
	}
	out, err := r.create(r.name(b.platform) + ".cdx.json")
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	return out.Close()
}

// componentVersion returns the version of a module as lists state it: of Go's library the version of
// Go, of the program that of the release.
func (r *release) componentVersion(b *build, path, version string) string {
	switch path {
	case stdlib:
		return strings.TrimPrefix(version, "go")
	case b.info.Main.Path:
		return string(r.version)
	}
	return version
}

// versionOf returns the version of a linked module.
func (b *build) versionOf(path string) string {
	m, _ := lo.Find(b.modules, func(m linked) bool { return m.path == path })
	return m.version
}

// purl returns the package URL of a module.
func purl(path, version string) string { return fmt.Sprintf("pkg:golang/%s@%s", path, version) }

func choices(ids []string) *cdx.Licenses {
	list := cdx.Licenses(lo.Map(ids, func(id string, _ int) cdx.LicenseChoice {
		if name, found := strings.CutPrefix(id, "LicenseRef-"); found {
			return cdx.LicenseChoice{License: &cdx.License{Name: name}}
		}
		return cdx.LicenseChoice{License: &cdx.License{ID: id}}
	}))
	return &list
}
