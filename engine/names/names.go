package names

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A Resource is what a name may stand for.
type Resource struct {
	URL, ID, Name, Title string
	BuiltIn              bool // part of the program: gives way to others
}

// A List has the resources of one type. It is immutable and safe for concurrent use.
type List struct {
	known     []known
	resources []named
	// Positions in resources.
	byURL, byID, byName map[string][]int
}

// A named is a resource with its names in folded form.
type named struct {
	Resource
	names []string
}

// NewList returns the list of resources of a type, such as CodeSystem, for which there may be
// well-known names. Resources without url are left out: nothing could be said to be theirs.
func NewList(typ string, resources []Resource) *List {
	l := &List{byURL: map[string][]int{}, byID: map[string][]int{}, byName: map[string][]int{}}
	if typ == "CodeSystem" {
		l.known = knownSystems()
	}
	for _, r := range resources {
		if r.URL == "" {
			continue
		}
		n, i := named{Resource: r}, len(l.resources)
		for _, text := range append([]string{r.ID, r.Name, r.Title, lastPart(r.URL), withoutScheme(r.URL)}, l.knownAs(r.URL)...) {
			if text = Fold(text); text != "" && !slices.Contains(n.names, text) {
				n.names = append(n.names, text)
				l.byName[text] = append(l.byName[text], i)
			}
		}
		l.byURL[r.URL] = append(l.byURL[r.URL], i)
		l.byID[r.ID] = append(l.byID[r.ID], i)
		l.resources = append(l.resources, n)
	}
	return l
}

// knownAs returns the well-known names of a url.
func (l *List) knownAs(url string) []string {
	for _, k := range l.known {
		if k.url == url {
			return k.names
		}
	}
	return nil
}

// A How is the way in which a name was understood.
type How uint8

// The ways. Exact is also that of a name that is left as it is, because it is a URI.
const (
	Exact How = iota
	ByName
	ByPart
)

// maxName bounds the length of a short name in bytes. Longer ones are no names of anything.
const maxName = 200

// minPart is the least number of letters and digits of a part of a name.
const minPart = 2

// Find returns the url that a name stands for. A URI that is not loaded is returned as it is: it may
// be used without being loaded. The error is an *AmbiguousError or an *UnknownError.
func (l *List) Find(name string) (url string, how How, err error) {
	if len(l.byURL[name]) > 0 || IsURI(name) {
		return name, Exact, nil
	}
	folded := ""
	if len(name) <= maxName {
		folded = Fold(name)
	}
	found, how := l.find(name, folded)
	switch len(found) {
	case 0:
		return "", 0, &UnknownError{Name: name, Nearest: l.labels(l.nearest(folded))}
	case 1:
		return found[0], how, nil
	}
	return "", 0, &AmbiguousError{Name: name, Candidates: l.labels(found)}
}

// IsURI reports whether a name is a URI, which Find leaves as it is in any list.
func IsURI(name string) bool { return strings.Contains(name, ":") }

// find returns the urls that a name may stand for: those of the first step that finds any.
func (l *List) find(name, folded string) (urls []string, how How) {
	if folded == "" {
		return nil, 0
	}
	if urls = l.urls(l.byID[name]); len(urls) > 0 {
		return urls, Exact
	}
	if urls = l.urls(l.byName[folded]); len(urls) > 0 {
		return urls, ByName
	}
	for _, k := range l.known {
		if slices.ContainsFunc(k.names, func(text string) bool { return Fold(text) == folded }) {
			return []string{k.url}, ByName
		}
	}
	var parts []int
	for i := range l.resources {
		if len(folded) >= minPart && slices.ContainsFunc(l.resources[i].names, func(text string) bool { return strings.Contains(text, folded) }) {
			parts = append(parts, i)
		}
	}
	return l.urls(parts), ByPart
}

// urls returns the urls of resources, of those of the program only if there are no others.
func (l *List) urls(found []int) []string {
	var own, builtIn []string
	for _, i := range found {
		if n := &l.resources[i]; n.BuiltIn {
			builtIn = append(builtIn, n.URL)
		} else {
			own = append(own, n.URL)
		}
	}
	if len(own) == 0 {
		own = builtIn
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// Short returns a short name of a url that is loaded: a well-known name, its id, or the last
// part of the url; and the url itself if these mean something else.
func (l *List) Short(url string) string {
	var ids []string // versions may have different ones
	for _, i := range l.byURL[url] {
		ids = append(ids, l.resources[i].ID)
	}
	slices.Sort(ids)
	for _, name := range slices.Concat(l.knownAs(url), ids, []string{lastPart(url)}) {
		if strings.ContainsFunc(name, func(r rune) bool { return !isPlain(r) }) {
			continue // it would have to be quoted
		}
		if found, _ := l.find(name, Fold(name)); len(found) == 1 && found[0] == url {
			return name
		}
	}
	return url
}

// isPlain reports whether a character needs no quotes in a shell, and separates no words there.
func isPlain(r rune) bool {
	return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r))
}

// labels returns urls with their short names, for people.
func (l *List) labels(urls []string) []string {
	list := make([]string, len(urls))
	for i, url := range urls {
		if list[i] = l.Short(url); list[i] != url {
			list[i] = fmt.Sprintf("%s (%s)", list[i], url)
		}
	}
	return list
}

// Fold returns the letters and digits of a text in lower case, which is what names are compared by.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// lastPart returns what comes after the last slash or colon of a url.
func lastPart(url string) string { return url[strings.LastIndexAny(url, "/:")+1:] }

// withoutScheme returns a url without http:// and the like, which are a part of all.
func withoutScheme(url string) string {
	if _, rest, found := strings.Cut(url, "://"); found {
		return rest
	}
	return strings.TrimPrefix(url, "urn:")
}
