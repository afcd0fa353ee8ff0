package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestVersions: dpkg, which nobody here wrote, orders the versions of packages as Go orders those of
// modules.
func TestVersions(t *testing.T) {
	rising := []string{
		"v0.0.0-20261123213722-fbcad3c0f9ab", "v0.0.0-20261123213723-0bcad3c0f9ab", "v0.1.0-rc.1", "v0.1.0-rc.2", "v0.1.0", "v0.1.1", "v0.2.0", "v0.10.0", "v1.0.0",
	}
	for i, text := range rising[1:] {
		older, err := parseVersion(rising[i])
		if err != nil {
			t.Fatal(err)
		}
		newer, err := parseVersion(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := exec.Command("dpkg", "--compare-versions", older.debian(), "lt", newer.debian()).Run(); err != nil {
			t.Errorf("%s is not before %s: %v", older.debian(), newer.debian(), err)
		}
	}
	for _, text := range []string{"", "1.2.3", "v1.2", "v1.2.3+x", "v01.2.3", "v1.2.3-", "v1.2.3; rm", "v1.2.3\n"} {
		if v, err := parseVersion(text); err == nil {
			t.Errorf("%q is a version: %s", text, v)
		}
	}
}

// TestReadLicence: licences are recognised in the texts of libraries, and an unknown one is refused.
func TestReadLicence(t *testing.T) {
	apache, err := os.ReadFile("../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	bsd := "Copyright (c) 2012 A. Author\n\nRedistribution and use in source and binary forms, with or without\nmodification, are permitted"
	for _, row := range []struct{ name, text, ids, owners string }{
		{"LICENSE", string(apache), "Apache-2.0", ""},
		{"LICENSE", bsd, "BSD-2-Clause", "Copyright (c) 2012 A. Author"},
		{"LICENSE", bsd + " ... may be used to\nendorse or promote products derived from this software", "BSD-3-Clause", "Copyright (c) 2012 A. Author"},
		{"LICENSE", "> Permission is hereby granted, free\n> of charge, to any person obtaining a copy\r\n", "MIT", ""},
		{"LICENSE", "Mozilla Public License, version 2.0", "MPL-2.0", ""},
		{"NOTICE", "Copyright 2020 B", "", "Copyright 2020 B"},
	} {
		l, err := readLicence(row.name, row.text)
		if err != nil || strings.Join(l.ids, " ") != row.ids || strings.Join(l.copyright, "; ") != row.owners {
			t.Errorf("%.40q: %q, %q, %v; want %q, %q", row.text, l.ids, l.copyright, err, row.ids, row.owners)
		}
	}
	if _, err := readLicence("LICENSE", "You may use it on Sundays."); err == nil {
		t.Error("an unknown licence is accepted")
	}
}

// TestTar: an archive has every folder once, before what is in it, and no trace of the machine. tar
// reads it.
func TestTar(t *testing.T) {
	files := []file{{"b/c/two", []byte("2"), 0o644}, {"b/one", []byte("1"), 0o755}, {"a/", nil, 0o700}}
	var archive bytes.Buffer
	if err := writeTar(&archive, files, time.Unix(1e9, 0), func(name string) owner { return owner{7, "seven"} }); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tar", "--utc", "--list", "--verbose", "--file=-")
	cmd.Stdin = &archive
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := []string{
		"drwx------ seven/seven 0 2001-09-09 01:46 a/",
		"drwxr-xr-x seven/seven 0 2001-09-09 01:46 b/",
		"drwxr-xr-x seven/seven 0 2001-09-09 01:46 b/c/",
		"-rw-r--r-- seven/seven 1 2001-09-09 01:46 b/c/two",
		"-rwxr-xr-x seven/seven 1 2001-09-09 01:46 b/one",
	}
	if got := strings.Fields(string(out)); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the archive has:\n%s", out)
	}
}
