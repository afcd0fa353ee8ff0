package platformtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// datastorePaths are the paths of the shared data store and of the users' data stores.
var datastorePaths = map[string]handler{
	"GET /api/dataStore":               (*Platform).namespaces,
	"GET /api/dataStore/{ns}":          (*Platform).keys,
	"DELETE /api/dataStore/{ns}":       (*Platform).dropNamespace,
	"GET /api/dataStore/{ns}/{key}":    (*Platform).value,
	"POST /api/dataStore/{ns}/{key}":   (*Platform).addValue,
	"PUT /api/dataStore/{ns}/{key}":    (*Platform).replaceValue,
	"DELETE /api/dataStore/{ns}/{key}": (*Platform).dropValue,

	"GET /api/userDataStore":               (*Platform).namespaces,
	"GET /api/userDataStore/{ns}":          (*Platform).keys,
	"DELETE /api/userDataStore/{ns}":       (*Platform).dropNamespace,
	"GET /api/userDataStore/{ns}/{key}":    (*Platform).value,
	"POST /api/userDataStore/{ns}/{key}":   (*Platform).addValue,
	"PUT /api/userDataStore/{ns}/{key}":    (*Platform).replaceValue,
	"DELETE /api/userDataStore/{ns}/{key}": (*Platform).dropValue,
}

// Value returns the value of a key in the data store of a user, or of the shared one if user is empty. It
// returns nil if there is none.
func (p *Platform) Value(username, namespace, key string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.datastore[username][namespace][key])
}

// owner returns the name of the user whose store a request names, "" for the shared store.
func (r *request) owner() string {
	if strings.HasPrefix(r.URL.Path, "/api/userDataStore") {
		return text(r.user, "username")
	}
	return ""
}

func (p *Platform) namespaces(r *request) answer {
	return found(slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(p.datastore[r.owner()])))))
}

func (p *Platform) keys(r *request) answer {
	keys := p.datastore[r.owner()][r.PathValue("ns")]
	if len(keys) == 0 {
		return refuse(http.StatusNotFound, "Namespace not found: '"+r.PathValue("ns")+"'")
	}
	return found(slices.Sorted(maps.Keys(keys)))
}

func (p *Platform) value(r *request) answer {
	value := p.datastore[r.owner()][r.PathValue("ns")][r.PathValue("key")]
	if value == nil {
		return noValue(r)
	}
	return found(value)
}

func noValue(r *request) answer {
	return refuse(http.StatusNotFound, "Key '"+r.PathValue("key")+"' not found in namespace '"+r.PathValue("ns")+"'")
}

func (p *Platform) addValue(r *request) answer {
	namespace, key := r.PathValue("ns"), r.PathValue("key")
	if p.datastore[r.owner()][namespace][key] != nil {
		return refuse(http.StatusConflict, "Key '"+key+"' already exists in namespace '"+namespace+"'")
	}
	return p.keep(r, http.StatusCreated)
}

func (p *Platform) replaceValue(r *request) answer {
	if p.datastore[r.owner()][r.PathValue("ns")][r.PathValue("key")] == nil {
		return noValue(r)
	}
	return p.keep(r, http.StatusOK)
}

// keep stores the body, which may be any JSON value.
func (p *Platform) keep(r *request, status int) answer {
	namespace, key := r.PathValue("ns"), r.PathValue("key")
	if !json.Valid(r.body) {
		return refuse(http.StatusBadRequest, "The data is not valid JSON")
	}
	store := p.datastore[r.owner()]
	if store == nil {
		store = map[string]map[string][]byte{}
		p.datastore[r.owner()] = store
	}
	if store[namespace] == nil {
		store[namespace] = map[string][]byte{}
	}
	store[namespace][key] = r.body
	return answer{status: status, body: envelope(status, "Key '"+key+"' in namespace '"+namespace+"' saved.")}
}

func (p *Platform) dropValue(r *request) answer {
	namespace, key := r.PathValue("ns"), r.PathValue("key")
	store := p.datastore[r.owner()]
	if store[namespace][key] == nil {
		return noValue(r)
	}
	if delete(store[namespace], key); len(store[namespace]) == 0 {
		delete(store, namespace)
	}
	return answer{status: http.StatusOK, body: envelope(http.StatusOK, "Key '"+key+"' deleted from namespace '"+namespace+"'.")}
}

func (p *Platform) dropNamespace(r *request) answer {
	namespace := r.PathValue("ns")
	store := p.datastore[r.owner()]
	if store[namespace] == nil {
		return refuse(http.StatusNotFound, "Namespace not found: '"+namespace+"'")
	}
	delete(store, namespace)
	return answer{status: http.StatusOK, body: envelope(http.StatusOK, "Namespace '"+namespace+"' deleted.")}
}
