package platformtest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// open are the paths that need no credentials.
var open = []string{"/api/loginConfig", "/api/staticContent/", "/api/files/style"}

// authenticate returns the user who sends a request, or refuses it. The caller holds the lock.
func (p *Platform) authenticate(r *http.Request) (user Object, refused answer) {
	isOpen := !strings.HasPrefix(r.URL.Path, "/api/")
	for _, path := range open {
		isOpen = isOpen || r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, path)
	}
	scheme, credentials, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	name, wrong := "", "Authentication required"
	switch cookie := r.Header.Get("Cookie"); {
	case scheme == "Basic":
		given, password, ok := r.BasicAuth()
		if stored, known := p.passwords[given]; ok && known && stored == password {
			name = given
		}
		wrong = "Bad credentials"
	case scheme == "ApiToken":
		name, wrong = p.holder(r, credentials)
	case scheme == "Bearer":
		name, wrong = p.bearer(credentials)
		if name == "" {
			return nil, unauthorized(wrong, `Bearer error="invalid_token", error_description="`+strings.ReplaceAll(wrong, `"`, "'")+`"`)
		}
	case scheme == "" && hasCookie(cookie):
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get("X-XSRF-TOKEN") != XSRFToken {
			return nil, refuse(http.StatusForbidden, "Invalid CSRF token")
		}
		name = Username
	}
	if user = p.userNamed(name); user != nil && user["disabled"] != true {
		return user, answer{}
	}
	switch {
	case isOpen:
		return nil, answer{}
	case scheme == "":
		return nil, p.anonymous(r, wrong)
	}
	return nil, unauthorized(wrong, `Basic realm="platform"`)
}

// hasCookie reports whether a header contains the session cookie.
func hasCookie(header string) bool {
	for pair := range strings.SplitSeq(header, ";") {
		if strings.TrimSpace(pair) == SessionCookie {
			return true
		}
	}
	return false
}

func unauthorized(wrong, challenge string) answer {
	given := refuse(http.StatusUnauthorized, wrong)
	given.header = http.Header{"Www-Authenticate": {challenge}}
	return given
}

// holder returns the name of the user of a personal token, if the token allows the request.
func (p *Platform) holder(r *http.Request, key string) (name, wrong string) {
	uid, known := p.tokens[key]
	if !known {
		return "", "The API token does not exists"
	}
	if name, ok := strings.CutPrefix(uid, "user:"); ok {
		return name, ""
	}
	token := p.collections["apiToken"].get(uid)
	if expire, _ := token["expire"].(float64); token == nil || expire != 0 && float64(time.Now().UnixMilli()) >= expire {
		return "", "Failed to authenticate API token, token has expired."
	}
	attributes, _ := token["attributes"].([]any)
	for _, each := range attributes {
		attribute, _ := each.(Object)
		address, _, _ := strings.Cut(strings.TrimPrefix(r.RemoteAddr, "["), ":")
		for list, value := range map[string]string{"allowedMethods": r.Method, "allowedIps": address, "allowedReferrers": r.Referer()} {
			if allowed, _ := attribute[list].([]any); len(allowed) > 0 && !slices.Contains(allowed, any(value)) {
				return "", "Failed to authenticate API token, request " + list + " does not allow it."
			}
		}
	}
	owner, _ := token["createdBy"].(Object)
	return text(p.collections["users"].get(text(owner, "id")), "username"), "The API token has no user"
}

// bearer returns the name of the user of an OAuth2 token.
func (p *Platform) bearer(token string) (name, wrong string) {
	if p.options.Claims != nil {
		claims, err := p.options.Claims(token)
		if err != nil {
			return "", err.Error()
		}
		return p.mapped(claims)
	}
	if p.options.Bearer == nil {
		return "", "JWT authentication is not enabled"
	}
	subject, err := p.options.Bearer(token)
	if err != nil {
		return "", err.Error()
	}
	return p.mapped(Claims{"sub": subject, "username": subject})
}

func (p *Platform) userNamed(name string) Object {
	for _, user := range p.collections["users"].all() {
		if name != "" && user["username"] == name {
			return user
		}
	}
	return nil
}

// authorities returns the sorted authorities of a user's roles.
func (p *Platform) authorities(user Object) []string {
	all := []string{}
	for _, role := range references(user["userRoles"]) {
		all = append(all, several(p.collections["userRoles"].get(role)["authorities"])...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// may reports whether a user has an authority.
func (p *Platform) may(user Object, authority string) bool {
	held := p.authorities(user)
	return slices.Contains(held, "ALL") || slices.Contains(held, authority)
}

// forbidden returns the response to a user who lacks an authority.
func forbidden(authority string) answer {
	return refuse(http.StatusForbidden, "Access is denied, requires one authority of: ["+authority+"]")
}
