package platformtest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
)

// appPaths are the paths of apps and the app catalogue.
var appPaths = map[string]handler{
	"GET /api/apps":          func(p *Platform, _ *request) answer { return found(p.apps) },
	"POST /api/apps":         (*Platform).upload,
	"PUT /api/apps":          (*Platform).reload,
	"DELETE /api/apps/{key}": (*Platform).uninstall,
	"GET /api/appHub":        func(p *Platform, _ *request) answer { return found(p.hub) },
	"POST /api/appHub/{id}":  (*Platform).install,
}

const manageApps = "M_dhis-web-app-management"

// installed returns the installed apps. On major 41 they have no display name.
func (p *Platform) installed() []Object {
	apps := []Object{
		{"key": "dashboard", "name": "Dashboard", "version": "100.1.0", "appType": "APP", "bundled": true, "core_app": true, "app_hub_id": "a1b2c3d4", "folderName": "apps/dashboard"},
		{"key": "side", "name": "Side", "version": "0.1.0", "appType": "APP", "bundled": false, "core_app": false, "folderName": "apps/side"},
	}
	for _, app := range apps {
		app["displayName"] = app["name"]
	}
	return apps
}

// catalogue returns the catalogue of the app hub.
func catalogue() []Object {
	version := func(id, number, channel, lowest, highest string, created any) any {
		return Object{
			"id": id, "version": number, "channel": channel, "minDhisVersion": lowest, "maxDhisVersion": highest,
			"downloadUrl": "https://hub.example/" + id + ".zip", "created": created,
		}
	}
	return []Object{
		{"id": "app-1", "name": "Widget", "appType": "APP", "description": "Shows a widget", "developer": Object{"name": "Ada", "organisation": "Example"}, "versions": list(
			version("ver-1", "1.9.5", "stable", "2.38", "2.41", int64(1740000000000)), version("ver-3", "10.1.0", "stable", "2.40", "", int64(1780000000000)), version("ver-2", "2.0.0", "stable", "2.40", "", int64(1760000000000)),
			version("ver-4", "beta", "development", "2.42", "", "2025-01-01T00:00:00.000"))},
		{"id": "app-2", "name": "Gadget", "appType": "DASHBOARD_WIDGET", "developer": Object{"name": "Ben"}, "versions": list(version("ver-5", "0.3.0", "canary", "2.41", "2.42", int64(1750000000000)))},
	}
}

// upload installs an app from the archive in the part "file".
func (p *Platform) upload(r *request) answer {
	if !p.may(r.user, manageApps) {
		return forbidden(manageApps)
	}
	archive, refused := r.part("file")
	if refused.status != 0 {
		return refused
	}
	invalid := refuse(http.StatusConflict, "Invalid app: the archive has no manifest.webapp")
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return refuse(http.StatusConflict, "Invalid app: not a zip archive")
	}
	manifest, err := files.Open("manifest.webapp")
	if err != nil {
		return invalid
	}
	defer func() { _ = manifest.Close() }()
	var app Object
	if json.NewDecoder(io.LimitReader(manifest, 1<<20)).Decode(&app) != nil || text(app, "name") == "" {
		return invalid
	}
	return p.installApp(text(app, "name"), text(app, "version"), text(app, "short_name"), nil)
}

// installApp installs an app. It replaces the app with the same key.
func (p *Platform) installApp(name, version, key string, hub any) answer {
	key = either(key, strings.ReplaceAll(strings.ToLower(name), " ", "-"))
	app := Object{"key": key, "name": name, "displayName": name, "version": version, "appType": "APP", "bundled": false, "core_app": false, "folderName": "apps/" + key}
	if hub != nil {
		app["app_hub_id"] = hub
	}
	p.apps = append(slices.DeleteFunc(p.apps, func(each Object) bool { return each["key"] == key }), app)
	return answer{status: http.StatusCreated, body: app}
}

func (p *Platform) reload(r *request) answer {
	if !p.may(r.user, manageApps) {
		return forbidden(manageApps)
	}
	return answer{status: http.StatusNoContent}
}

func (p *Platform) uninstall(r *request) answer {
	i := slices.IndexFunc(p.apps, func(each Object) bool { return each["key"] == r.PathValue("key") })
	switch {
	case !p.may(r.user, manageApps):
		return forbidden(manageApps)
	case i < 0:
		return refuse(http.StatusNotFound, "App does not exist: "+r.PathValue("key"))
	case p.apps[i]["bundled"] == true:
		return refuse(http.StatusConflict, "Bundled apps cannot be deleted: "+r.PathValue("key"))
	}
	p.apps = slices.Delete(p.apps, i, i+1)
	return answer{status: http.StatusNoContent}
}

// install installs a version of the catalogue.
func (p *Platform) install(r *request) answer {
	if !p.may(r.user, manageApps) {
		return forbidden(manageApps)
	}
	for _, app := range p.hub {
		for _, each := range app["versions"].([]any) {
			if version := each.(Object); version["id"] == r.PathValue("id") {
				p.installApp(text(app, "name"), text(version, "version"), "", app["id"])
				return answer{status: http.StatusCreated, body: envelope(http.StatusCreated, "")}
			}
		}
	}
	return refuse(http.StatusNotFound, "App version not found on the hub: "+r.PathValue("id"))
}

// AppArchive returns the archive of an app for an upload.
func AppArchive(name, version string) []byte {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	w, err := archive.Create("manifest.webapp")
	if err == nil {
		_, err = w.Write(rewritten(Object{"name": name, "version": version}))
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		panic(err) // writing to memory does not fail
	}
	return b.Bytes()
}
