package audit_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// A trial makes a world in which a control has an outcome.
type trial func(w *world)

// A cases has the three outcomes of a control. Without pass, the clean world passes. flagged has a trial
// for each severity of the control, worst first. Without a reason, the check fails as a whole and the
// control is skipped as not evaluated.
type cases struct {
	pass    trial
	flagged []trial
	skipped trial
	reason  string
}

// same is for a world that is already as it has to be.
func same(*world) {}

func one(f trial) []trial { return []trial{f} }

// setting changes a setting.
func setting(key string, value any) trial { return func(w *world) { w.Settings[key] = value } }

func header(name, value string) trial {
	return func(w *world) {
		if value == "" {
			w.Headers.Del(name)
		} else {
			w.Headers.Set(name, value)
		}
	}
}

func both(trials ...trial) trial {
	return func(w *world) {
		for _, f := range trials {
			f(w)
		}
	}
}

// broken makes a path fail, so that the check that reads it degrades.
func broken(path string) trial {
	return func(w *world) { w.fault(path, platformtest.Fault{Status: 500}) }
}

func add(plural string, o func() object) trial {
	return func(w *world) { w.add(plural, o()) }
}

// chief changes the superuser.
func chief(pairs ...any) trial {
	return func(w *world) { with(w.Objects["users"][0], pairs...) }
}

// helper changes the ordinary user.
func helper(pairs ...any) trial {
	return func(w *world) { with(w.Objects["users"][1], pairs...) }
}

func version(text string) trial { return func(w *world) { w.Version = text } }

func role(name string, authorities []string, members ...string) trial {
	return add("userRoles", func() object {
		return object{"id": "Rol00000012", "name": name, "authorities": authorities, "users": refs(members...)}
	})
}

func route(pairs ...any) trial {
	return add("routes", func() object {
		return with(object{"id": "Rte00000010", "code": "lab", "name": "Lab", "url": "https://lab.example/api", "disabled": false, "authorities": []string{"F_LAB"}}, pairs...)
	})
}

func shares(plural, public string, external bool) trial {
	return add(plural, func() object {
		return object{
			"id": "Abc00000012", "name": "Open", "shortName": "Open", "periodType": "Monthly",
			"sharing": object{"owner": "Usr00000010", "external": external, "public": public, "users": object{}, "userGroups": object{}},
		}
	})
}

func token(pairs ...any) trial {
	return add("apiToken", func() object {
		return with(object{
			"id": "Tok00000010", "name": "nightly", "type": "PERSONAL_ACCESS_TOKEN_V2", "expire": now.AddDate(0, 1, 0).UnixMilli(), "createdBy": object{"id": "Usr00000010"},
			"attributes": []object{{"type": "IpAllowedList", "allowedIps": []string{"10.0.0.1"}}},
		}, pairs...)
	})
}

func oauth2Client(pairs ...any) trial {
	return add("oAuth2Clients", func() object {
		return with(object{
			"id": "Clt00000010", "clientId": "mobile", "displayName": "mobile", "authorizationGrantTypes": "authorization_code,refresh_token", "redirectUris": "http://localhost:8765,https://app.example/back",
		}, pairs...)
	})
}

func config(text string) trial { return func(w *world) { w.conf = text } }

const notEvaluated = "not evaluated this run"

// table has the 72 controls with a world for each outcome.
var table = map[string]cases{
	"version-unparseable":          {flagged: one(version("unknown")), skipped: panics, reason: notEvaluated},
	"version-eol-below-min-line":   {flagged: one(version("2.40.9")), skipped: version("unknown"), reason: "version unreadable"},
	"version-eol-feed-unsupported": {flagged: one(func(w *world) { w.feed = strings.Replace(w.feed, `42, "supported": true`, `42, "supported": false`, 1) }), skipped: func(w *world) { w.noFeed = true }, reason: "no feed"},
	"version-newer-line-available": {flagged: one(both(func(w *world) { w.Major = 41 }, version("2.41.8.2"))), skipped: func(w *world) { w.feed = "<html>" }, reason: "no feed"},
	"version-below-advisory-floor": {flagged: one(version("2.42.5.0")), skipped: version("unknown"), reason: "version unreadable"},
	"version-patch-currency":       {flagged: one(version("2.42.5.1")), skipped: version("2.42.5"), reason: "floor is flagged already"},

	"transport-no-tls":                            {flagged: one(func(w *world) { w.plain = true }), skipped: lateFailure("/api/system/info"), reason: notEvaluated},
	"transport-no-hsts":                           {flagged: one(header("Strict-Transport-Security", "")), skipped: func(w *world) { w.plain = true }, reason: "not https"},
	"transport-weak-hsts":                         {flagged: []trial{header("Strict-Transport-Security", "max-age=0"), header("Strict-Transport-Security", "max-age=31535999")}, skipped: header("Strict-Transport-Security", ""), reason: "no Strict-Transport-Security"},
	"transport-no-csp":                            {flagged: one(header("Content-Security-Policy", "")), skipped: lateFailure("/api/system/info"), reason: notEvaluated},
	"transport-weak-csp":                          {flagged: one(header("Content-Security-Policy", "default-src *; frame-ancestors 'self'")), skipped: header("Content-Security-Policy", ""), reason: "no policy"},
	"transport-no-anti-framing":                   {flagged: one(both(header("Content-Security-Policy", ""), header("Content-Security-Policy-Report-Only", "frame-ancestors 'self'"))), skipped: lateFailure("/api/system/info"), reason: notEvaluated},
	"transport-no-nosniff":                        {flagged: one(header("X-Content-Type-Options", "")), skipped: lateFailure("/api/system/info"), reason: notEvaluated},
	"transport-cross-origin-isolation":            {flagged: one(header("Cross-Origin-Embedder-Policy", "")), skipped: lateFailure("/api/system/info"), reason: notEvaluated},
	"transport-cors-credentialed-any-origin":      {flagged: one(both(header("Access-Control-Allow-Origin", ""), func(w *world) { w.CORS = []string{"*"} })), skipped: header("Access-Control-Allow-Origin", ""), reason: "no allow-origin"},
	"transport-cors-any-origin":                   {flagged: one(header("Access-Control-Allow-Origin", "*")), skipped: header("Access-Control-Allow-Origin", ""), reason: "no allow-origin"},
	"transport-cors-credentialed-specific-origin": {flagged: one(header("Access-Control-Allow-Credentials", "true")), skipped: header("Access-Control-Allow-Origin", ""), reason: "no allow-origin"},
	"transport-server-version-disclosure":         {flagged: one(header("Server", "nginx/1.18.0")), skipped: lateFailure("/api/system/info"), reason: notEvaluated},

	"settings-weak-min-password-length":        {flagged: one(setting("minPasswordLength", 7)), skipped: setting("minPasswordLength", nil), reason: "unset"},
	"settings-lockout-disabled":                {flagged: one(setting("keyLockMultipleFailedLogins", "false")), skipped: setting("keyLockMultipleFailedLogins", nil), reason: "unset"},
	"settings-passwords-never-expire":          {flagged: one(setting("credentialsExpires", nil)), skipped: broken("/api/systemSettings"), reason: notEvaluated},
	"settings-self-registration-captcha-off":   {flagged: one(setting("keySelfRegistrationNoRecaptcha", true)), skipped: setting("keySelfRegistrationNoRecaptcha", nil), reason: "unset"},
	"settings-can-grant-own-authorities":       {flagged: one(setting("keyCanGrantOwnUserAuthorityGroups", true)), skipped: setting("keyCanGrantOwnUserAuthorityGroups", nil), reason: "unset"},
	"settings-email-verification-not-enforced": {flagged: one(setting("enforceVerifiedEmail", false)), skipped: both(func(w *world) { w.Major = 41 }, version("2.41.8.2"), setting("enforceVerifiedEmail", nil)), reason: "unset"},
	"settings-cors-wildcard":                   {flagged: one(func(w *world) { w.CORS = []string{"https://*.example"} }), skipped: broken("/api/configuration/corsWhitelist"), reason: "whitelist unreadable"},
	"settings-cors-allowlist":                  {flagged: one(func(w *world) { w.CORS = []string{"https://app.example"} }), skipped: broken("/api/configuration/corsWhitelist"), reason: "whitelist unreadable"},
	"settings-email-feature-without-smtp":      {flagged: one(setting("keyEmailHostName", " ")), skipped: broken("/api/systemSettings"), reason: notEvaluated},

	"authorities-audited-superuser": {pass: func(w *world) { w.pat = helperPAT }, flagged: one(same), skipped: broken("/api/me/authorization"), reason: notEvaluated},
	"authorities-audited-category":  {flagged: one(both(func(w *world) { w.pat = helperPAT }, func(w *world) { w.Objects["userRoles"][0]["authorities"] = []string{"F_ROUTE_DELETE"} })), skipped: broken("/api/me/authorization"), reason: notEvaluated},

	"roles-grants-all-in-use":     {pass: func(w *world) { w.Objects["userRoles"][1]["authorities"] = []string{} }, flagged: one(same), skipped: broken("/api/userRoles"), reason: notEvaluated},
	"roles-grants-all-unused":     {flagged: one(role("Spare", []string{"ALL"})), skipped: broken("/api/userRoles"), reason: notEvaluated},
	"roles-dangerous-authorities": {flagged: []trial{role("Router", []string{"F_ROUTE_PUBLIC_ADD", "F_SCHEDULING_ADMIN"}), role("Planner", []string{"F_SCHEDULING_ADMIN"})}, skipped: broken("/api/userRoles"), reason: notEvaluated},

	"hygiene-priv-disabled-holds-roles": {flagged: one(add("users", func() object { return with(account("Usr00000012", "gone", "Rol00000011"), "disabled", true) })), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-priv-never-logged-in":      {flagged: one(chief("lastLogin", nil)), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-priv-stale":                {flagged: one(chief("lastLogin", "2026-03-02T11:59:59.000")), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-priv-no-email":             {flagged: one(chief("email", "")), skipped: broken("/api/userRoles"), reason: notEvaluated},
	"hygiene-agg-never-logged-in":       {flagged: one(helper("lastLogin", nil)), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-agg-stale":                 {flagged: one(helper("lastLogin", "2025-01-01")), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-agg-stale-password":        {flagged: one(chief("passwordLastUpdated", nil)), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-seed-admin-enabled":        {flagged: one(add("users", func() object { return account("Usr00000012", "admin", "Rol00000010") })), skipped: broken("/api/users"), reason: notEvaluated},
	"hygiene-2fa-superuser":             {flagged: one(chief("twoFactorType", "NOT_ENABLED")), skipped: func(w *world) { w.answers("/api/users/twoFactor/summary", 404, "") }, reason: "this server has no /api/users/twoFactor/summary (404)"},
	"hygiene-inventory":                 {pass: func(w *world) { w.answers("/api/users", 200, `{"users":[]}`) }, flagged: one(same), skipped: broken("/api/users"), reason: notEvaluated},

	"credential-probe-default": {flagged: one(func(w *world) { w.Users = []platformtest.User{{Username: "admin", Password: "district"}} }), skipped: func(w *world) { w.answers("/api/me", 403, "{}") }, reason: "answered with 403"},

	"guest-anonymous-readable-endpoint": {
		flagged: []trial{func(w *world) { w.answers("/api/users", 200, `{"users":[]}`) }, func(w *world) { w.answers("/api/me", 200, `{}`) }},
		skipped: func(w *world) { w.fault("/api/users", platformtest.Fault{HTML: true}) }, reason: "says neither yes nor no",
	},
	"guest-self-registration-enabled": {flagged: one(func(w *world) { w.World.Role = object{"id": "Rol00000010", "name": "Clerk"} }), skipped: broken("/api/configuration/selfRegistrationRole"), reason: "role for self-registration unreadable (500)"},
	"guest-account-recovery-enabled":  {flagged: one(setting("keyAccountRecovery", true)), skipped: setting("keyAccountRecovery", nil), reason: "unset"},

	"apps-side-loaded": {flagged: one(func(w *world) {
		w.World.Apps = append(w.World.Apps, object{"key": "side", "name": "Side", "version": "0.1.0", "bundled": false})
	}), skipped: broken("/api/apps"), reason: notEvaluated},
	"apps-update-available": {flagged: one(func(w *world) { w.World.Hub[0]["versions"] = []object{{"version": "v2.0.1"}, {"version": "10"}} }), skipped: broken("/api/appHub"), reason: "hub unreachable"},
	"apps-custom-js":        {flagged: one(setting("keyCustomJs", "alert(1)")), skipped: broken("/api/systemSettings"), reason: "system settings unreadable (500)"},
	"apps-custom-css":       {flagged: one(setting("keyCustomCss", "body{}")), skipped: broken("/api/apps"), reason: notEvaluated},

	"sharing-external":              {flagged: one(shares("dashboards", "--------", true)), skipped: both(func(w *world) { w.Major = 43 }, version("2.43.2")), reason: "does not report external access"},
	"sharing-public-write-data":     {flagged: one(shares("dataSets", "--rw----", false)), skipped: broken("/api/dataSets"), reason: notEvaluated},
	"sharing-public-write-metadata": {flagged: one(shares("dashboards", "rw------", false)), skipped: broken("/api/dashboards"), reason: notEvaluated},
	"sharing-public-sql-view":       {flagged: one(shares("sqlViews", "r-------", false)), skipped: func(w *world) { w.options.MaxObjects = 1 }, reason: "only the first 1 objects were read"},
	"sharing-public-read-data":      {flagged: one(shares("programs", "r-r-----", false)), skipped: broken("/api/schemas"), reason: notEvaluated},

	"auth-methods-oidc-provider": {flagged: one(func(w *world) {
		w.World.Providers = []object{{"id": "idp", "loginText": "Sign in", "url": "https://u:p@idp.example/x?secret=1"}}
	}), skipped: broken("/api/loginConfig"), reason: notEvaluated},
	"auth-methods-oauth2-broad-grant":    {flagged: one(oauth2Client("authorizationGrantTypes", "authorization_code,urn:ietf:params:oauth:grant-type:device_code")), skipped: broken("/api/oAuth2Clients"), reason: "clients unreadable"},
	"auth-methods-oauth2-loose-redirect": {flagged: one(oauth2Client("redirectUris", "http://app.example/back")), skipped: broken("/api/oAuth2Clients"), reason: "clients unreadable"},
	"auth-methods-oauth2-clean-client":   {flagged: one(oauth2Client()), skipped: func(w *world) { w.answers("/api/oAuth2Clients", 403, "") }, reason: "may not read it (403)"},

	"tokens-inventory":           {flagged: one(token()), skipped: broken("/api/apiToken"), reason: notEvaluated},
	"tokens-non-expiring":        {pass: token(), flagged: one(token("expire", nil)), skipped: token("expire", "one day"), reason: "the expiry cannot be read of some tokens: 1"},
	"tokens-expired-not-deleted": {pass: token(), flagged: one(token("expire", 1700000000000)), skipped: broken("/api/apiToken"), reason: notEvaluated},
	"tokens-no-ip-allowlist":     {pass: token(), flagged: one(token("attributes", []object{{"type": "IpAllowedList", "allowedIps": []string{}}})), skipped: broken("/api/apiToken"), reason: notEvaluated},

	"routes-metadata-endpoint":       {pass: route(), flagged: one(route("url", "http://0xA9FEA9FE/latest/meta-data")), skipped: broken("/api/routes"), reason: notEvaluated},
	"routes-private-address":         {pass: route(), flagged: one(route("url", "http://2130706433/", "disabled", true)), skipped: broken("/api/routes"), reason: notEvaluated},
	"routes-allows-subpaths":         {pass: route(), flagged: one(route("url", "https://lab.example/**")), skipped: broken("/api/routes"), reason: notEvaluated},
	"routes-carries-auth":            {pass: route(), flagged: one(route("auth", object{"type": "new-kind", "key": "planted-secret"})), skipped: route("url", 7), reason: "some routes could not be read: 1"},
	"routes-no-required-authorities": {pass: both(route("authorities", []string{}, "disabled", true)), flagged: one(route("authorities", []string{})), skipped: broken("/api/routes"), reason: notEvaluated},
	"routes-inventory":               {flagged: one(route()), skipped: broken("/api/routes"), reason: notEvaluated},

	"audit-config-system-disabled": {flagged: one(config("system.audit.enabled = off")), skipped: config(""), reason: "no file given"},
	"audit-config-both-sinks-off":  {flagged: one(config("audit.logger = off")), skipped: config("system.audit.enabled = off"), reason: "auditing is off"},
	"audit-config-narrow-scope":    {flagged: one(config("audit.tracker = CREATE;UPDATE;DELETE")), skipped: config("system.audit.enabled = off"), reason: "auditing is off"},
}

// panics makes the check of the version fail.
func panics(w *world) {
	w.noFeed = true
	w.options.Releases = panicking
}

// lateFailure lets a path answer until the scanner is connected.
func lateFailure(path string) trial {
	return func(w *world) { w.late = append(w.late, path) }
}

// TestControls: for each of the 72 controls a world in which it passes, worlds in which it is flagged
// with each severity of the table, and one in which it is skipped with the reason. Platform toolkit,
// section 5.5.
// Rows of docs/platform.md: 2.6.1, 2.6.2, 2.6.3, 2.6.5, T5.2, T5.4, T5.5, T5.9.
func TestControls(t *testing.T) {
	outcomes := 0
	for _, c := range audit.Controls() {
		want, there := table[c.ID]
		if !there {
			t.Errorf("the table has no %s", c.ID)
			continue
		}
		if len(want.flagged) != len(c.Severities) {
			t.Errorf("%s: %d worlds for the severities %v", c.ID, len(want.flagged), c.Severities)
		}
		outcome := func(t *testing.T, f trial) audit.Outcome {
			t.Helper()
			t.Parallel()
			w := clean()
			if f != nil {
				f(w)
			}
			w.options.Checks = []audit.Key{c.Check}
			return control(t, w.start(t).run(t), c.ID)
		}
		t.Run(c.ID+"/pass", func(t *testing.T) {
			if o := outcome(t, want.pass); o.Status != audit.Pass || o.Note != "" || o.Severity != "" || len(o.FindingTitles) != 0 || o.Label != c.Title {
				t.Errorf("%+v", o)
			}
		})
		for i, severity := range c.Severities {
			t.Run(c.ID+"/flagged "+string(severity), func(t *testing.T) {
				if o := outcome(t, want.flagged[i]); o.Status != audit.Flagged || o.Severity != severity || len(o.FindingTitles) == 0 || o.Note != "" {
					t.Errorf("%+v", o)
				}
			})
		}
		t.Run(c.ID+"/skipped", func(t *testing.T) {
			if o := outcome(t, want.skipped); o.Status != audit.Skipped || !strings.Contains(o.Note, want.reason) || o.Severity != "" {
				t.Errorf("%+v", o)
			}
		})
		outcomes += 3
	}
	if outcomes != 216 || len(table) != 72 {
		t.Errorf("%d outcomes of %d controls", outcomes, len(table))
	}
}

// TestCatalogue: ids, titles and severities are those of the document, in its order.
// Rows of docs/platform.md: 2.6.2, T5.1, T5.2, T5.5.
func TestCatalogue(t *testing.T) {
	text, err := os.ReadFile(sharedtest.Path(t, "spec/platform-toolkit.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### 5.5 ")
	section, _, _ = strings.Cut(section, "\n### ")
	var check audit.Key
	var want []audit.Control
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 9 {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`*")
		}
		switch id := cells[2]; {
		case slices.Contains(audit.Keys(), audit.Key(id)):
			check = audit.Key(id)
		case check != "" && strings.HasPrefix(id, string(check)+"-"):
			c := audit.Control{Check: check, ID: id, Title: cells[3]}
			for word := range strings.SplitSeq(cells[5], "/") {
				c.Severities = append(c.Severities, audit.Severity(word))
			}
			want = append(want, c)
		}
	}
	got := audit.Controls()
	if len(want) != 72 || len(got) != 72 {
		t.Fatalf("%d controls, and %d in the document", len(got), len(want))
	}
	for i, c := range got {
		if w := want[i]; c.Check != w.Check || c.ID != w.ID || c.Title != w.Title || !slices.Equal(c.Severities, w.Severities) || c.Remedy == "" {
			t.Errorf("%+v, want %+v", c, w)
		}
	}
	_, list, _ := strings.Cut(string(text), "\nRun order: `")
	list, _, _ = strings.Cut(list, "`")
	var keys []string
	for _, key := range audit.Keys() {
		keys = append(keys, string(key))
	}
	if strings.Join(keys, ", ") != list {
		t.Errorf("the order is %v, not %s", keys, list)
	}
	_, guarded, _ := strings.Cut(string(text), "in this set:\n\n")
	guarded, _, _ = strings.Cut(guarded, ".\n")
	var paths []string
	for path := range strings.SplitSeq(guarded, ", ") {
		paths = append(paths, strings.Trim(path, "`"))
	}
	if !slices.Equal(audit.Permitted(), paths) {
		t.Errorf("permitted are %v, not %v", audit.Permitted(), paths)
	}
}
