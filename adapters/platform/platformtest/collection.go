package platformtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// collection has the objects of a type in the order of their creation.
type collection struct {
	prefix  string // of generated uids
	order   []string
	objects map[string]Object
}

var uidPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{10}$`)

func (c *collection) get(uid string) Object {
	if c == nil {
		return nil
	}
	return c.objects[uid]
}

func (c *collection) all() []Object {
	list := make([]Object, 0, len(c.order))
	for _, uid := range c.order {
		list = append(list, c.objects[uid])
	}
	return list
}

func (c *collection) put(o Object) {
	uid := text(o, "id")
	if c.objects[uid] == nil {
		c.order = append(c.order, uid)
	}
	c.objects[uid] = o
}

func (c *collection) remove(uid string) {
	delete(c.objects, uid)
	c.order = slices.DeleteFunc(c.order, func(each string) bool { return each == uid })
}

// uid returns an unused uid, such as "Dat00000012".
func (p *Platform) uid(c *collection) string {
	for {
		p.made++
		if uid := fmt.Sprintf("%s%08d", c.prefix, p.made); c.objects[uid] == nil {
			return uid
		}
	}
}

// Put adds objects to a collection, or replaces objects with the same id. The collection may be new. Its
// name is a plural with at least three letters.
func (p *Platform) Put(plural string, objects ...Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(plural, objects...)
}

func (p *Platform) put(plural string, objects ...Object) {
	c := p.collections[plural]
	if c == nil {
		c = &collection{prefix: strings.ToUpper(plural[:1]) + plural[1:3], objects: map[string]Object{}}
		p.collections[plural] = c
	}
	for _, o := range objects {
		o = plain(o).(Object)
		if text(o, "id") == "" {
			o["id"] = p.uid(c)
		}
		if o["created"] == nil {
			o["created"] = now
		}
		o["lastUpdated"] = now
		c.put(o)
	}
}

// Get returns a copy of an object, or nil.
func (p *Platform) Get(plural, uid string) Object {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.collections[plural].get(uid)
	if o == nil {
		return nil
	}
	return plain(o).(Object)
}

// plain returns a copy of a value as decoded from JSON.
func plain(v any) any {
	var copied any
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &copied)
	}
	if err != nil {
		panic("platformtest: an object that JSON cannot have: " + err.Error())
	}
	return copied
}

func klass(plural string) string {
	for _, t := range types {
		if t.plural == plural {
			return t.klass()
		}
	}
	return "org.hisp.dhis.common." + plural
}

// collectionPaths are the paths of the metadata types.
var collectionPaths = map[string]handler{
	"GET /{$}":                     (*Platform).root,
	"/":                            (*Platform).webPage,
	"GET /api/{plural}":            (*Platform).list,
	"POST /api/{plural}":           (*Platform).create,
	"GET /api/{plural}/{id}":       (*Platform).read,
	"PUT /api/{plural}/{id}":       (*Platform).update,
	"PATCH /api/{plural}/{id}":     (*Platform).patch,
	"DELETE /api/{plural}/{id}":    (*Platform).delete,
	"/api/{plural}/{id}/{rest...}": (*Platform).nowhere,
}

func (p *Platform) nowhere(r *request) answer {
	return refuse(http.StatusNotFound, "No such path: "+r.URL.Path)
}

func (p *Platform) list(r *request) answer {
	plural := r.PathValue("plural")
	c := p.collections[plural]
	if c == nil {
		return p.nowhere(r)
	}
	return p.query(r, plural, c.all())
}

// one returns the object that a path names, or a refusal.
func (p *Platform) one(r *request, plural string) (Object, answer) {
	c, uid := p.collections[plural], r.PathValue("id")
	switch {
	case c == nil:
		return nil, p.nowhere(r)
	case plural == "users" && !uidPattern.MatchString(uid):
		return nil, refuse(http.StatusMethodNotAllowed, "Request method '"+r.Method+"' is not supported")
	case c.get(uid) == nil:
		return nil, missing(klass(plural)[strings.LastIndexByte(klass(plural), '.')+1:], uid)
	}
	return c.get(uid), answer{}
}

func (p *Platform) read(r *request) answer {
	plural := r.PathValue("plural")
	o, refused := p.one(r, plural)
	if o == nil {
		return refused
	}
	fields, err := parseFields(either(strings.Join(r.URL.Query()["fields"], ","), "*"))
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	return found(p.project(p.shape(plural, o), fields))
}

// check returns the errors in an object to be stored: required members of its type that are missing.
func (p *Platform) check(plural string, o Object) (reports []any) {
	for _, f := range fieldsOf(plural) {
		if f.required && o[f.name] == nil {
			reports = append(reports, Object{
				"message": "Missing required property `" + f.name + "`", "mainKlass": klass(plural), "errorCode": "E4000",
				"errorProperty": f.name, "errorProperties": []any{f.name},
			})
		}
	}
	for _, other := range p.collections[plural].all() {
		if code := text(o, "code"); code != "" && other["code"] == code && other["id"] != o["id"] {
			reports = append(reports, Object{
				"message": "Property `code` with value `" + code + "` already exists on object " + text(other, "name"), "mainKlass": klass(plural),
				"errorCode": "E5003", "errorProperty": "code", "value": code, "errorProperties": []any{"code", code},
			})
		}
	}
	return reports
}

// store checks and stores an object, and responds.
func (p *Platform) store(status int, plural string, o Object) answer {
	if plural == "routes" && !p.routable(o) {
		return refuse(http.StatusConflict, "Could not resolve type id '"+text(o["auth"].(Object), "type")+"' as a subtype of `org.hisp.dhis.route.Auth`")
	}
	if reports := p.check(plural, o); reports != nil {
		return reported(plural, text(o, "id"), reports...)
	}
	if plural == "routes" {
		p.hide(o)
	}
	if password, given := o["password"].(string); given && plural == "users" {
		p.passwords[text(o, "username")] = password
		delete(o, "password")
	}
	p.put(plural, o)
	return written(status, plural, text(o, "id"))
}

func (p *Platform) create(r *request) answer {
	plural := r.PathValue("plural")
	c := p.collections[plural]
	o, ok := decode(r.body)
	switch {
	case c == nil:
		return p.nowhere(r)
	case !ok:
		return malformed()
	case text(o, "id") == "":
		o["id"] = p.uid(c)
	case c.get(text(o, "id")) != nil:
		return reported(plural, text(o, "id"), Object{"message": "Object exists already", "errorCode": "E5000", "mainKlass": klass(plural)})
	}
	return p.store(http.StatusCreated, plural, o)
}

func (p *Platform) update(r *request) answer {
	plural := r.PathValue("plural")
	old, refused := p.one(r, plural)
	o, ok := decode(r.body)
	switch {
	case old == nil:
		return refused
	case !ok:
		return malformed()
	}
	o["id"], o["created"] = old["id"], old["created"]
	return p.store(http.StatusOK, plural, o)
}

func (p *Platform) delete(r *request) answer {
	plural := r.PathValue("plural")
	o, refused := p.one(r, plural)
	if o == nil {
		return refused
	}
	p.collections[plural].remove(text(o, "id"))
	for key, uid := range p.tokens {
		if plural == "apiToken" && uid == o["id"] {
			delete(p.tokens, key)
		}
	}
	return written(http.StatusOK, plural, text(o, "id"))
}

func either(given, fallback string) string {
	if given != "" {
		return given
	}
	return fallback
}
