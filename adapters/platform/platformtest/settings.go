package platformtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

var settingPaths = map[string]handler{
	"GET /api/systemSettings":          (*Platform).allSettings,
	"GET /api/systemSettings/{key}":    (*Platform).setting,
	"POST /api/systemSettings/{key}":   (*Platform).set,
	"DELETE /api/systemSettings/{key}": (*Platform).unset,
}

// Setting returns the value of a system setting, or nil if it is unset. A value that was set over HTTP is a
// text.
func (p *Platform) Setting(key string) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.settings[key]
}

func (p *Platform) allSettings(r *request) answer {
	chosen := maps.Clone(p.settings)
	if keys := r.URL.Query()["key"]; keys != nil {
		maps.DeleteFunc(chosen, func(key string, _ any) bool { return !slices.Contains(keys, key) })
	}
	return found(chosen)
}

func (p *Platform) setting(r *request) answer {
	key := r.PathValue("key")
	value, there := p.settings[key]
	if !there {
		return p.unsetSetting(key)
	}
	return found(Object{key: value})
}

// set stores the text in the body or in the query parameter value.
func (p *Platform) set(r *request) answer {
	key, value := r.PathValue("key"), string(r.body)
	switch {
	case !p.may(r.user, "F_SYSTEM_SETTING"):
		return forbidden("F_SYSTEM_SETTING")
	case len(r.body) > 0 && !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain"):
		return refuse(http.StatusUnsupportedMediaType, "Content-Type '"+r.Header.Get("Content-Type")+"' is not supported")
	case value == "" && r.URL.Query().Has("value"):
		value = r.URL.Query().Get("value")
	}
	if value == "" {
		return refuse(http.StatusConflict, "Value must be specified as query param or as payload")
	}
	p.settings[key], p.known[key] = value, true
	return answer{status: http.StatusOK, body: envelope(http.StatusOK, "System setting '"+key+"' set to value '"+value+"'.")}
}

func (p *Platform) unset(r *request) answer {
	if !p.may(r.user, "F_SYSTEM_SETTING") {
		return forbidden("F_SYSTEM_SETTING")
	}
	delete(p.settings, r.PathValue("key"))
	return answer{status: http.StatusNoContent}
}
