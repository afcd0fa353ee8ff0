package main

import (
	"context"
	"crypto/md5"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/samber/lo"
)

// debianFiles are the files of the Debian package that nobody generates: scripts, unit, settings.
//
//go:embed debian
var debianFiles embed.FS

// debianMaintainer is who the package names for questions.
const debianMaintainer = "Roget maintainers <maintainers@roget.health>"

// debianData lists where files in the folder debian go. Files in DEBIAN are for dpkg itself.
var debianData = [...]struct {
	from, to string
	mode     os.FileMode
}{
	{"conffiles", "DEBIAN/conffiles", 0o644},
	{"config", "DEBIAN/config", 0o755},
	{"templates", "DEBIAN/templates", 0o644},
	{"postinst", "DEBIAN/postinst", 0o755},
	{"prerm", "DEBIAN/prerm", 0o755},
	{"postrm", "DEBIAN/postrm", 0o755},
	{"roget.toml", "etc/roget/roget.toml", 0o640},
	{"roget.service", "usr/lib/systemd/system/roget.service", 0o644},
	{"roget-backup.service", "usr/lib/systemd/system/roget-backup.service", 0o644},
	{"roget-backup.timer", "usr/lib/systemd/system/roget-backup.timer", 0o644},
	{"lintian-overrides", "usr/share/lintian/overrides/roget", 0o644},
}

// debian writes the Debian package for one processor, with dpkg-deb.
func (r *release) debian(ctx context.Context, b *build) error {
	files, err := r.debianTree(b)
	if err != nil {
		return err
	}
	folder := filepath.Join(r.work, "deb_"+b.platform.arch)
	if err := lay(folder, files, r.date); err != nil {
		return err
	}
	out := r.path(fmt.Sprintf("roget_%s_%s.deb", r.version.debian(), b.platform.arch))
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", folder, out)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	_, err = output(cmd)
	return err
}

// debianTree returns the files of the package.
func (r *release) debianTree(b *build) (files []file, err error) {
	for _, d := range debianData {
		text, err := debianFiles.ReadFile("debian/" + d.from)
		if err != nil {
			return nil, err
		}
		files = append(files, file{d.to, text, d.mode})
	}
	changes, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"changelog.gz": changes, "changelog.Debian.gz": r.debianChangelog()} {
		packed, err := compressed(text)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"usr/share/doc/roget/" + name, packed, 0o644})
	}
	for _, d := range r.docs {
		name, text := debianDoc(d.name), d.data
		if strings.HasSuffix(name, ".gz") {
			if text, err = compressed(text); err != nil {
				return nil, err
			}
		}
		files = append(files, file{name, text, 0o644})
	}
	files = append(files, file{"usr/bin/roget", b.program, 0o755}, file{"usr/share/doc/roget/copyright", r.debianCopyright(b), 0o644})
	var sums strings.Builder // by which dpkg --verify finds what was changed
	for _, f := range withFolders(files) {
		if !f.isFolder() && !strings.HasPrefix(f.name, "DEBIAN/") && !strings.HasPrefix(f.name, "etc/") {
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
		}
	}
	files = append(files, file{"DEBIAN/md5sums", []byte(sums.String()), 0o644})
	return append(files, file{"DEBIAN/control", r.debianControl(b, files), 0o644}), nil
}

// debianDoc returns where a manual page or a completion goes.
func debianDoc(name string) string {
	switch base := filepath.Base(name); {
	case strings.HasPrefix(name, "man/"):
		return "usr/share/" + name + ".gz"
	case strings.HasSuffix(name, ".bash"):
		return "usr/share/bash-completion/completions/roget"
	case strings.HasSuffix(name, ".fish"):
		return "usr/share/fish/vendor_completions.d/" + base
	default:
		return "usr/share/zsh/vendor-completions/" + base
	}
}

// debianControl returns what dpkg shows of the package.
func (r *release) debianControl(b *build, files []file) []byte {
	size := 0 // in KiB, each file rounded up
	for _, f := range files {
		if !strings.HasPrefix(f.name, "DEBIAN/") {
			size += (len(f.data) + 1023) / 1024
		}
	}
	return fmt.Appendf(nil, `Package: roget
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Depends: adduser, debconf (>= 0.5) | debconf-2.0
Recommends: ca-certificates
Suggests: postgresql
Section: science
Priority: optional
Homepage: https://%s
Description: FHIR R4 terminology engine and resource server
 Roget answers questions about medical codes and stores clinical resources.
 It reads SNOMED CT, LOINC, RxNorm and FHIR packages as they are published,
 expands and validates value sets, and finds resources by what their codes
 mean. It also is a client for DHIS2-compatible servers.
 .
 The package runs the server as a service of the user roget.
`, r.version.debian(), b.platform.arch, debianMaintainer, size, b.info.Main.Path)
}

// debianChangelog returns the history of the package, which is that of the program.
func (r *release) debianChangelog() []byte {
	return fmt.Appendf(nil, "roget (%s) unstable; urgency=medium\n\n  * Package of %s, commit %.12s. What changed for users is in\n    changelog.gz.\n\n -- %s  %s\n",
		r.version.debian(), r.version, r.commit, debianMaintainer, r.date.Format(time.RFC1123Z))
}

// debianNames are the names of licences in Debian where they differ from those of SPDX.
var debianNames = map[string]string{"MIT": "Expat", "LicenseRef-UCUM": "UCUM"}

// apacheText is the licence whose text Debian wants to be named, not repeated.
var apacheText = regexp.MustCompile(`(?s)[ \t]*Apache License\s+Version 2\.0, January 2004.*END OF TERMS AND CONDITIONS`)

// debianCopyright returns the licences of the package in Debian's machine-readable form.
func (r *release) debianCopyright(b *build) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: roget\nSource: https://%s\n"+
		"Comment: The program contains the libraries below vendor, which this package does\n not contain as source.\n\n"+
		"Files: *\nCopyright: %d The Roget authors\nLicense: Apache-2.0\n", b.info.Main.Path, r.date.Year())
	for _, s := range b.texts() {
		owners := s.copyright
		if len(owners) == 0 {
			owners = []string{"the authors of " + strings.Join(s.what, ", ")}
		}
		ids := lo.Map(s.ids, func(id string, _ int) string { return lo.CoalesceOrEmpty(debianNames[id], id) })
		if len(ids) == 0 {
			ids = []string{"notice"}
		}
		id, text := strings.Join(ids, " and "), s.text
		if id == "Apache-2.0" {
			text = "" // below, once
		}
		text = apacheText.ReplaceAllString(text, "    The Apache License, version 2.0, which is below.")
		fmt.Fprintf(&out, "\nFiles: %s\nCopyright: %s\nLicense: %s\n%s", strings.Join(s.files, "\n "), strings.Join(owners, "\n "), id, folded(text))
	}
	out.WriteString("\nLicense: Apache-2.0\n On Debian systems, the text of the Apache License, version 2.0, is in\n /usr/share/common-licenses/Apache-2.0.\n")
	return []byte(out.String())
}

// folded returns text as the value of a field of several lines.
func folded(text string) string {
	if text == "" {
		return ""
	}
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r\f")
		if strings.TrimSpace(line) == "" {
			line = "."
		}
		out.WriteString(" " + strings.ReplaceAll(line, "\t", "    ") + "\n")
	}
	return out.String()
}
