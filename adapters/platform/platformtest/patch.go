package platformtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// patch applies a JSON Patch (RFC 6902) with add, replace and remove.
func (p *Platform) patch(r *request) answer {
	plural := r.PathValue("plural")
	old, refused := p.one(r, plural)
	var steps []struct {
		Op, Path string
		Value    any
	}
	switch {
	case old == nil:
		return refused
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json-patch+json"):
		return refuse(http.StatusUnsupportedMediaType, "Content-Type '"+r.Header.Get("Content-Type")+"' is not supported")
	case json.Unmarshal(r.body, &steps) != nil:
		return malformed()
	}
	patched := plain(old)
	for _, step := range steps {
		path := strings.Split(step.Path, "/")
		known := step.Op == "add" || step.Op == "replace" || step.Op == "remove"
		if !known || len(path) < 2 || path[0] != "" || path[1] == "id" || !change(&patched, path[1:], step.Op, step.Value) {
			return refuse(http.StatusBadRequest, "Invalid JSON patch: "+step.Op+" "+step.Path)
		}
	}
	return p.store(http.StatusOK, plural, patched.(Object))
}

// change applies an operation of a patch to a value, and reports whether its path exists.
func change(at *any, path []string, op string, value any) bool {
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch here := (*at).(type) {
	case Object:
		old, there := here[name]
		switch {
		case len(path) > 1:
			done := there && change(&old, path[1:], op, value)
			here[name] = old
			return done
		case op != "add" && !there:
			return false
		case op == "remove":
			delete(here, name)
		default:
			here[name] = value
		}
		return true
	case []any:
		if name == "-" && op == "add" && len(path) == 1 {
			*at = append(here, value)
			return true
		}
		i, err := strconv.Atoi(name)
		switch {
		case err != nil || i < 0 || i >= len(here):
			return false
		case len(path) > 1:
			return change(&here[i], path[1:], op, value)
		case op == "remove":
			*at = append(here[:i:i], here[i+1:]...)
		case op == "add":
			*at = append(here[:i:i], append([]any{value}, here[i:]...)...)
		default:
			here[i] = value
		}
		return true
	}
	return false
}
