package platformtest

import (
	"fmt"
	"net/http"
	"strings"
)

// systemPaths are the paths about the server and the current user.
var systemPaths = map[string]handler{
	"GET /api/system/info":      (*Platform).info,
	"GET /api/me":               (*Platform).me,
	"GET /api/me/authorization": func(p *Platform, r *request) answer { return found(p.authorities(r.user)) },
	"GET /api/authorities":      (*Platform).allAuthorities,
	"GET /api/loginConfig":      (*Platform).loginConfig,

	"GET /api/configuration/corsWhitelist": func(p *Platform, _ *request) answer {
		return found(append([]string{}, p.options.CORS...))
	},
	"GET /api/configuration/selfRegistrationRole": (*Platform).registrationRole,
}

// loginPage returns the path of the login page.
func (p *Platform) loginPage() string {
	switch p.options.Major {
	case 41:
		return "/dhis-web-commons/security/login.action"
	case 42:
		return "/dhis-web-login/"
	}
	return "/login/"
}

// root redirects to the login page, or as the options say.
func (p *Platform) root(*request) answer {
	to := either(p.options.Root, p.loginPage())
	if strings.HasPrefix(to, "/") {
		to = p.options.ContextPath + to
	}
	return answer{status: http.StatusFound, header: http.Header{"Location": {to}}}
}

// webPage handles paths outside the web API.
func (p *Platform) webPage(r *request) answer {
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch root, _, _ := strings.Cut(p.options.Root, "?"); {
	case path == strings.TrimSuffix(p.loginPage(), "/"):
		return page(http.StatusOK, "Sign in")
	case root != "" && strings.HasPrefix(r.URL.Path+"/", root): // a start page, which answers for all below it (V6)
		return page(http.StatusOK, "Welcome")
	}
	return page(http.StatusNotFound, "Not found")
}

func (p *Platform) info(r *request) answer {
	address := "http://" + r.Host + p.options.ContextPath
	return found(Object{
		"version": p.options.Version, "revision": "abc1234", "systemId": "11111111-2222-3333-4444-555555555555", "systemName": "Test",
		"contextPath": address, "instanceBaseUrl": address, "serverDate": now, "buildTime": "2025-12-01T00:00:00.000", "calendar": "iso8601", "dateFormat": "yyyy-mm-dd",
		"lastAnalyticsTableSuccess": now, "javaVersion": "17.0.9", "cpuCores": 4,
	})
}

// me returns the current user with authorities, and with programs as plain uids, which only this path has.
func (p *Platform) me(r *request) answer {
	o := p.shape("users", r.user)
	o["authorities"] = p.authorities(r.user)
	o["programs"] = list()
	for _, program := range p.collections["programs"].all() {
		o["programs"] = append(o["programs"].([]any), program["id"])
	}
	fields, err := parseFields(either(strings.Join(r.URL.Query()["fields"], ","), "*"))
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	return found(p.members(o, fields))
}

// allAuthorities lists all authorities. Major 41 fails.
func (p *Platform) allAuthorities(*request) answer {
	if p.options.Major == 41 {
		return refuse(http.StatusInternalServerError, "An unexpected error has occurred")
	}
	all := []any{}
	for _, id := range []string{"ALL", "F_DATAVALUE_ADD", "F_LAB", "F_OAUTH2_CLIENT_MANAGE", "F_ROUTE_PUBLIC_ADD", "F_SYSTEM_SETTING", "F_USER_ADD"} {
		all = append(all, Object{"id": id, "name": strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(id, "F_")), "_", " ")})
	}
	return found(Object{"systemAuthorities": all})
}

func (p *Platform) loginConfig(*request) answer {
	setting := func(key string) any { return p.settings[key] }
	return found(Object{
		"applicationTitle": setting("applicationTitle"), "applicationDescription": setting("keyApplicationIntro"), "applicationFooter": setting("keyApplicationFooter"),
		"selfRegistrationEnabled": true, "allowAccountRecovery": setting("keyAccountRecovery"), "apiVersion": p.options.Version,
		"useCustomLogoFront": fmt.Sprint(setting("keyUseCustomLogoFront")) == "true",
		"oidcProviders":      p.providers(),
	})
}

// shape returns a copy of an object in the shape of the major, with its derived members.
func (p *Platform) shape(plural string, stored Object) Object {
	o := plain(stored).(Object)
	if plural == "users" {
		o["displayName"], o["name"] = text(o, "firstName")+" "+text(o, "surname"), text(o, "firstName")+" "+text(o, "surname")
	}
	if plural == "users" && p.options.Major == 41 {
		enabled := o["twoFactorType"] != "NOT_ENABLED"
		o["twoFactorEnabled"] = enabled
		o["userCredentials"] = Object{"username": o["username"], "twoFA": enabled, "passwordLastUpdated": o["passwordLastUpdated"]}
		delete(o, "passwordLastUpdated")
		delete(o, "twoFactorType")
	}
	if sharing, ok := o["sharing"].(Object); ok && p.options.Major == 43 {
		delete(sharing, "external")
	}
	if o["displayName"] == nil && o["name"] != nil {
		o["displayName"] = o["name"]
	}
	return o
}
