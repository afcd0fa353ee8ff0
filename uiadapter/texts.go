package uiadapter

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"

	"golang.org/x/text/language"
)

//go:embed texts/*.json
var textFiles embed.FS

// languages are those of the texts of the page. The first is used where no other fits.
var languages = [...]string{"en", "de", "fr", "es"}

// texts are what the page says, by key and language. A file has the texts of a room.
type texts struct {
	byKey   map[string]map[string]string
	matcher language.Matcher
}

// readTexts reads all texts.
func readTexts() (*texts, error) {
	files, err := fs.Glob(textFiles, "texts/*.json")
	if err != nil {
		return nil, err
	}
	t := &texts{byKey: map[string]map[string]string{}}
	for _, file := range files {
		content, err := textFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var own map[string]map[string]string
		if err := json.Unmarshal(content, &own); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for key, text := range own {
			if _, twice := t.byKey[key]; twice {
				return nil, fmt.Errorf("%s: the key %s is there twice", file, key)
			}
			t.byKey[key] = text
		}
	}
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.Make(l)
	}
	t.matcher = language.NewMatcher(tags)
	return t, nil
}

// match returns the language of the texts that fits a header Accept-Language best.
func (t *texts) match(accept string) string {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(wanted) == 0 {
		return languages[0]
	}
	_, i, _ := t.matcher.Match(wanted...)
	return languages[i]
}

// get returns a text in a language. The text of an unknown key is the key, which facts of a server
// may have.
func (t *texts) get(lang, key string, args ...any) string {
	text, found := t.byKey[key]
	if !found {
		return key
	}
	if len(args) == 0 {
		return text[lang]
	}
	return fmt.Sprintf(text[lang], args...)
}

// T returns a text in the language of the page. Arguments are inserted as fmt does.
func (p *Page) T(key string, args ...any) string { return p.h.texts.get(p.Language, key, args...) }
