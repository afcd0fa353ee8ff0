package uiadapter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
)

// resourceData is what resource.html shows.
type resourceData struct {
	Outline
	Version, Updated string
	// Current is true for the current version.
	Current bool
	Nodes   []Node
	// More is true if the resource has more than the page shows.
	More bool
	JSON string
	// Address is that of the resource in the FHIR interface, and Raw relative to the page.
	Address, Raw string
	Versions     []Revision
	Older        bool // there are more versions
	// Timeline and Charts are the addresses of what there is about a patient, "" for other resources.
	Timeline, Charts string
}

// A Revision is a version of a resource.
type Revision struct {
	Version, When, Link string
	Deleted, Chosen     bool
}

const (
	// shownVersions is the number of versions that are listed, and mostJSON the length of JSON that is
	// shown, in bytes.
	shownVersions, mostJSON = 20, 200_000
)

// stored shows a resource in a version.
func (p *Page) stored() error {
	typ, id, version := p.Query("type"), p.Query("id"), p.Query("version")
	if !p.h.tables.IsResource(typ) {
		return unknownType(typ)
	}
	if id == "" {
		return errNotFound
	}
	path := typ + "/" + url.PathEscape(id)
	d := &resourceData{Current: version == "", Address: p.h.Address(p.r) + "/" + path}
	if err := p.versions(d, path, version); err != nil {
		return err
	}
	if version != "" {
		path += "/_history/" + url.PathEscape(version)
	}
	d.Raw = "../" + path
	body, err := p.FHIR(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	o, err := readObject(body)
	if err != nil {
		return err
	}
	n := p.namer()
	d.Outline = n.outline(o)
	d.Version, d.Updated = o.text("meta", "versionId"), o.text("meta", "lastUpdated")
	if d.Nodes, d.More, err = n.nodes(body); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, body, "", "  "); err != nil {
		return err
	}
	d.JSON = cut(text.String(), mostJSON)
	if typ == "Patient" {
		if p.Has("timeline") {
			d.Timeline, _ = link("timeline", "patient", id)
		}
		if p.Has("charts") {
			d.Charts, _ = link("charts", "patient", id)
		}
	}
	return p.Show("resource.html", "", d.Title.Text+" – "+typ, d)
}

// versions lists the versions of a resource, newest first. A server that keeps no history has none.
func (p *Page) versions(d *resourceData, path, chosen string) error {
	var b bundle
	if err := p.Get(path+"/_history?_count=20", &b); err != nil {
		return nil //nolint:nilerr // a request without permission for histories, or a store without: the read says the rest
	}
	for i := range b.Entry {
		e := &b.Entry[i]
		v := Revision{Deleted: e.Request.Method == http.MethodDelete, When: e.Response.LastModified}
		if len(e.Resource) > 0 {
			var head struct {
				ID   string `json:"id"`
				Type string `json:"resourceType"`
				Meta struct {
					Version string `json:"versionId"`
					Updated string `json:"lastUpdated"`
				} `json:"meta"`
			}
			if err := json.Unmarshal(e.Resource, &head); err != nil {
				return err
			}
			v.Version, v.When = head.Meta.Version, cmp.Or(head.Meta.Updated, v.When)
			v.Link, _ = link("resource", "type", head.Type, "id", head.ID, "version", v.Version)
		}
		v.Chosen = v.Version != "" && (v.Version == chosen || chosen == "" && i == 0)
		if v.Chosen && i == 0 {
			d.Current = true
		}
		d.Versions = append(d.Versions, v)
	}
	d.Older = b.cursor("next") != "" || len(b.Entry) == shownVersions
	return nil
}
