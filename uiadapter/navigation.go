package uiadapter

// An Entry is an entry of the navigation. Text is a key of the texts.
type Entry struct {
	Link, Text string
	Current    bool
}

// Navigation returns the entries of the navigation.
func (p *Page) Navigation() []Entry {
	var list []Entry
	for _, room := range p.h.rooms {
		if room.link != "" {
			list = append(list, Entry{Link: room.link, Text: room.name + ".nav", Current: room == p.Room})
		}
	}
	return list
}

// Has reports whether there is a page of a name, such as valueset: rooms link to each other, and a
// server does not have all of them.
func (p *Page) Has(page string) bool {
	for _, room := range p.h.rooms {
		if _, found := room.routes["GET /ui/"+page]; found {
			return true
		}
	}
	return false
}

// A Language is a language of the texts of the page, with its name in that language.
type Language struct{ Code, Name string }

// Languages returns the languages of the texts of the page.
func (p *Page) Languages() []Language {
	return []Language{{"en", "English"}, {"de", "Deutsch"}, {"fr", "Français"}, {"es", "Español"}}
}

// Name returns the name of the software, and Version its version.
func (p *Page) Name() string { return p.h.Name }

// Version returns the version of the software.
func (p *Page) Version() string { return p.h.Version }
