package audit

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// An app is an installed app. Servers spell its members in two ways.
type app struct {
	Key     string `json:"key"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Bundled bool   `json:"bundled"`
	Core    bool   `json:"core_app"`
	CoreToo bool   `json:"coreApp"`
	Hub     string `json:"app_hub_id"`
	HubToo  string `json:"appHubId"`
}

func (a app) hub() string   { return cmp.Or(a.Hub, a.HubToo) }
func (a app) title() string { return cmp.Or(a.Name, a.Key, "without a name") }

// A hubApp is an app of the app hub.
type hubApp struct {
	ID       string `json:"id"`
	Versions []struct {
		Version string `json:"version"`
	} `json:"versions"`
}

// appsInput is the input of the check of apps.
type appsInput struct {
	apps      []app
	hub       []hubApp
	noHub     string // why the hub was not read; "" if it was
	settings  settings
	noSetting string
}

func (s *Scanner) apps(ctx context.Context) (Result, error) {
	var in appsInput
	if err := s.read(ctx, "/api/apps", nil, &in.apps); err != nil {
		return Result{}, err
	}
	if err := s.read(ctx, "/api/appHub", nil, &in.hub); err != nil {
		in.noHub = why("app hub", err)
	}
	var err error
	if in.settings, err = s.readSettings(ctx, url.Values{"key": {"keyCustomJs", "keyCustomCss"}}); err != nil {
		in.noSetting = why("system settings", err)
	}
	return reduceApps(in), nil
}

func reduceApps(in appsInput) Result {
	const updates = "apps-update-available"
	r := newRecorder(CheckApps)
	r.evaluated("apps-side-loaded")
	if in.noHub != "" {
		r.skip("hub unreachable: "+in.noHub, updates)
	} else {
		r.evaluated(updates)
	}
	for _, a := range in.apps {
		evidence := map[string]string{"key": a.Key, "version": a.Version}
		if !a.Bundled && !a.Core && !a.CoreToo && a.hub() == "" {
			r.flag(Finding{
				Control: "apps-side-loaded", Severity: High, Title: "An app does not come from the app hub", Subject: a.title(), GroupKey: "app-side-loaded", Evidence: evidence,
				Detail: "Somebody uploaded it. Its code runs in the browsers of all users, with their rights.",
			})
		}
		if latest := newest(in.hub, a.hub()); in.noHub == "" && latest != nil && older(a.Version, latest) {
			r.flag(Finding{
				Control: updates, Severity: Medium, Title: "An app is not up to date", Subject: a.title(), GroupKey: "app-update",
				Detail:   fmt.Sprintf("Version %s is installed; the app hub has %s.", a.Version, dotted(latest)),
				Evidence: map[string]string{"key": a.Key, "version": a.Version, "latest": dotted(latest)},
			})
		}
	}
	for _, rule := range []struct{ id, key, title, detail string }{
		{"apps-custom-js", "keyCustomJs", "A script is injected into all pages", "The setting keyCustomJs has code that runs in the browsers of all users."},
		{"apps-custom-css", "keyCustomCss", "A style is injected into all pages", "The setting keyCustomCss can change and hide parts of all pages."},
	} {
		switch text := in.settings.text(rule.key); {
		case in.noSetting != "":
			r.skip(in.noSetting, rule.id)
		case text != "":
			r.flag(Finding{Control: rule.id, Severity: High, Title: rule.title, Detail: rule.detail, Evidence: map[string]string{"setting": rule.key, "length": strconv.Itoa(len(text))}})
		default:
			r.evaluated(rule.id)
		}
	}
	return r.done()
}

// newest returns the highest version that the hub has of an app, or nil.
func newest(hub []hubApp, id string) (best []int) {
	for _, a := range hub {
		if id == "" || a.ID != id {
			continue
		}
		for _, v := range a.Versions {
			if n := numbers(v.Version); n != nil && (best == nil || slices.Compare(n, best) > 0) {
				best = n
			}
		}
	}
	return best
}

// older reports whether an installed version is lower than another. A version that cannot be read is not.
func older(installed string, latest []int) bool {
	n := numbers(installed)
	return n != nil && slices.Compare(n, latest) < 0
}

// numbers reads v1.2.3-suffix as 1, 2, 3 without zeros at the end, or returns nil.
func numbers(version string) []int {
	version, _, _ = strings.Cut(strings.TrimSpace(version), "-")
	version, _, _ = strings.Cut(version, "+")
	list := []int{}
	for part := range strings.SplitSeq(strings.TrimLeft(version, "vV"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || len(list) > 8 {
			return nil
		}
		list = append(list, n)
	}
	for len(list) > 1 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

func dotted(n []int) string {
	parts := make([]string, max(len(n), 3))
	for i := range parts {
		parts[i] = "0"
		if i < len(n) {
			parts[i] = strconv.Itoa(n[i])
		}
	}
	return strings.Join(parts, ".")
}
