package uiadapter

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
)

//go:embed templates/*.html
var templateFiles embed.FS

// sharedTemplates are the files whose definitions all others can use.
var sharedTemplates = [...]string{"templates/layout.html", "templates/parts.html"}

// views are the parsed templates by the names of their files.
type views struct{ byFile map[string]*template.Template }

// parseViews parses all templates.
func parseViews(a *assets) (*views, error) {
	shared, err := template.New("").Option("missingkey=error").Funcs(functions(a)).ParseFS(templateFiles, sharedTemplates[:]...)
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	v := &views{byFile: map[string]*template.Template{}}
	for _, file := range files {
		if file == sharedTemplates[0] || file == sharedTemplates[1] {
			continue
		}
		own, err := shared.Clone()
		if err != nil {
			return nil, err
		}
		if own, err = own.ParseFS(templateFiles, file); err != nil {
			return nil, err
		}
		v.byFile[path.Base(file)] = own
	}
	return v, nil
}

// render returns the definition name of a file.
func (v *views) render(file, name string, data any) ([]byte, error) {
	t := v.byFile[file]
	if t == nil {
		return nil, fmt.Errorf("there is no template %s", file)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// functions are those that templates can call.
func functions(a *assets) template.FuncMap {
	return template.FuncMap{
		"asset":  a.link,
		"link":   link,
		"number": number,
		"title":  nameOf,
		"tick":   tick,
		"short":  short,
		"isLong": isLong,
		"token":  token,
		"begin":  begin,
		"day":    day,
		"less":   func(a, b int) int { return a - b },
		"list":   func(items ...any) []any { return items },
	}
}
