package rxnorm

import (
	"path"
	"regexp"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// release holds the files of a release by base name in upper case.
type release struct {
	files map[string]*loader.File
	// version is the day of the release in the file names, MMDDYYYY; "" when no name has it.
	version string
}

// dated is the day of a release in a file name: RxNorm_full_09072026.zip.
var dated = regexp.MustCompile(`(?i)(?:rxnorm|readme)[a-z_]*_((?:0[1-9]|1[0-2])[0-3][0-9]20[0-9]{2})`)

// releaseOf finds the files beside RXNCONSO.RRF. A full release also has the prescribable subset
// in a separate folder, so the files that are nested least deeply count.
func releaseOf(root string, files []loader.File) release {
	r := release{files: map[string]*loader.File{}}
	dir, found := "", false
	for i := range files {
		name := files[i].Name
		if strings.EqualFold(path.Base(name), "RXNCONSO.RRF") && (!found || strings.Count(name, "/") < strings.Count(dir, "/")+1) {
			dir, found = path.Dir(name), true
		}
	}
	if !found {
		return r
	}
	names := []string{path.Base(root)}
	for i := range files {
		name := files[i].Name
		names = append(names, name)
		if path.Dir(name) == dir {
			r.files[strings.ToUpper(path.Base(name))] = &files[i]
		}
	}
	for _, name := range names {
		if m := dated.FindStringSubmatch(name); m != nil {
			r.version = m[1]
			break
		}
	}
	return r
}

// released is the day at the end of the version of RxNorm in RXNSAB: 25AB_260907F.
var released = regexp.MustCompile(`_([0-9]{2})([0-9]{2})([0-9]{2})F$`)

// versionOf returns the day of a release from its version in RXNSAB, or "" if that has another
// form.
func versionOf(sver string) string {
	m := released.FindStringSubmatch(sver)
	if m == nil {
		return ""
	}
	return m[2] + m[3] + "20" + m[1]
}

// dateOf converts the day of a version to a FHIR date.
func dateOf(version string) string {
	if len(version) != 8 {
		return ""
	}
	return version[4:] + "-" + version[:2] + "-" + version[2:4]
}
