package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A licence is a file that states one.
type licence struct {
	name      string // of the file
	part      string // folder of the file in its module, "." for the whole
	text      string
	ids       []string // of SPDX; none for a notice that belongs to a licence
	copyright []string // the lines that state one
}

// licenceMarks are sentences by which licences are recognised, with blanks for other white space, in
// lower case. A text may contain several licences.
var licenceMarks = [...]struct{ id, mark string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"BSD-3-Clause", "be used to endorse or promote products derived from"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms, with or without modification"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "cc0 1.0 universal"},
	{"blessing", "may you do good and not evil"},
	{"blessing", "dedicated to the public domain"},
	{"LicenseRef-UCUM", "unified code for units of measure (ucum) version 1.0 license"},
}

var (
	copyrightLine = regexp.MustCompile(`(?im)^[\s#*/]*((?:copyright|\(c\)|©)[^\n]*\d{4}[^\n]*|copyright (?:\(c\)|©|the )[^\n]*)$`)
	boilerplate   = regexp.MustCompile(`(?i)\[yyyy\]|copyright owner|copyright notice`)
)

// readLicence recognises the licences in a file. A text with an unknown licence is an error: somebody
// must read it before it is distributed.
func readLicence(name, text string) (licence, error) {
	l := licence{name: name, text: strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))}
	plain := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(text, ">", " ")), " ")) // some quote theirs
	for _, m := range licenceMarks {
		if strings.Contains(plain, m.mark) && !slices.Contains(l.ids, m.id) {
			l.ids = append(l.ids, m.id)
		}
	}
	if i := slices.Index(l.ids, "BSD-2-Clause"); i >= 0 && slices.Contains(l.ids, "BSD-3-Clause") {
		l.ids = slices.Delete(l.ids, i, i+1) // which it contains
	}
	for _, m := range copyrightLine.FindAllStringSubmatch(l.text, -1) {
		line := strings.Join(strings.Fields(m[1]), " ")
		if !boilerplate.MatchString(line) && !slices.Contains(l.copyright, line) {
			l.copyright = append(l.copyright, line)
		}
	}
	notice := strings.HasPrefix(strings.ToLower(name), "notice") || strings.HasPrefix(strings.ToLower(name), "copyright")
	if len(l.ids) == 0 && !notice {
		return l, fmt.Errorf("%s states no licence that packaging/licence.go knows", name)
	}
	return l, nil
}

// ids returns the licences of a module, each once.
func (m linked) ids() (ids []string) {
	for _, l := range m.licences {
		for _, id := range l.ids {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// A shared is a text of a licence and what is under it.
type shared struct {
	licence
	what  []string // modules with their versions, or parts of the program
	files []string // the same, as patterns of paths
}

// texts returns the different texts of the licences of others in the program: of the libraries, and of
// content that the program contains.
func (b *build) texts() (all []*shared) {
	for _, m := range b.modules {
		for _, l := range m.licences {
			what, files := m.path+" "+m.version, "vendor/"+m.path+"/"
			switch {
			case m.path == b.info.Main.Path && l.part == ".":
				continue
			case m.path == b.info.Main.Path:
				what, files = "content of "+l.part, l.part+"/"
			case l.part != ".":
				what, files = what+", "+l.part, files+l.part+"/"
			}
			files += "*"
			if len(l.ids) == 0 {
				files = strings.TrimSuffix(files, "*") + l.name
			}
			i := slices.IndexFunc(all, func(s *shared) bool { return s.text == l.text })
			if i < 0 {
				all, i = append(all, &shared{licence: l}), len(all)
			}
			all[i].what, all[i].files = append(all[i].what, what), append(all[i].files, files)
		}
	}
	return all
}

// notices returns the licences of all that is linked into the program, for its users.
func (r *release) notices(b *build) []byte {
	var out strings.Builder
	out.WriteString("Roget is distributed under the Apache License 2.0, which is in the file LICENSE. The program contains\n" +
		"libraries and content of others, under the following licences.\n")
	for _, s := range b.texts() {
		fmt.Fprintf(&out, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(s.what, "\n"), s.text)
	}
	return []byte(out.String())
}
