package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/sharedtest"
)

// rowsFile lists the rows of the specification of the platform client with their tests.
const rowsFile = "docs/platform.md"

var (
	// rowSections are the sections whose rows are listed.
	rowSections = strings.Fields("2.1 2.2 2.3 2.4 2.5 2.6 3 4 5 7 8 9")
	// rowsWithoutTests are of what this version does not have, and one that says nothing.
	rowsWithoutTests = strings.Fields("9.5 T6.2h")
)

// toolkitRow begins the numbers of rows about the toolkit page.
const toolkitRow = "T"

// platformRow is a row of rowsFile: number and letter, and which tests hold it.
type platformRow struct{ number, letter, tests string }

var rowLine = regexp.MustCompile(`(?m)^\| (T?\d+(?:\.\d+)+)([a-z]?) \| (.+) \| (.+) \|$`)

// listedRows reads rowsFile.
func listedRows(t *testing.T) (rows []platformRow) {
	t.Helper()
	for _, m := range rowLine.FindAllStringSubmatch(readText(t, rowsFile), -1) {
		rows = append(rows, platformRow{m[1], m[2], m[4]})
	}
	if len(rows) < 100 {
		t.Fatalf("%s lists %d rows only", rowsFile, len(rows))
	}
	return rows
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	testsOfPackage = regexp.MustCompile("^`([a-z0-9./]+)` (.+)$")
	testWithParts  = regexp.MustCompile(`^(\w+)(?: \(([^)]+)\))?(?:, |$)`)
	namedRows      = regexp.MustCompile(`Rows of docs/platform\.md: ([T0-9., ]+)`)
)

// rowTests are the tests of a package: what its files have, and by the name of a test the
// rows that its comment names.
type rowTests struct {
	text string
	rows map[string][]string
}

// testsIn returns the tests of a package of ours, in a nested module or not.
func testsIn(t *testing.T, folder string) *rowTests {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s has no tests: %v", folder, err)
	}
	found := &rowTests{rows: map[string][]string{}}
	for _, path := range paths {
		text := readText(t, path)
		found.text += text
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			function, is := d.(*ast.FuncDecl)
			if !is || function.Recv != nil || !strings.HasPrefix(function.Name.Name, "Test") && !strings.HasPrefix(function.Name.Name, "Fuzz") {
				continue
			}
			var rows []string
			if m := namedRows.FindStringSubmatch(strings.Join(strings.Fields(function.Doc.Text()), " ")); m != nil {
				rows = strings.Split(strings.TrimRight(m[1], "., "), ", ")
			}
			found.rows[function.Name.Name] = rows
		}
	}
	return found
}

// TestPlatformRows: each row of docs/platform.md names tests, which are there, with the
// parts that are named; and the comment of each of these tests names its rows.
func TestPlatformRows(t *testing.T) {
	packages := map[string]*rowTests{}
	held := map[string][]string{} // rows by "package test"
	for _, row := range listedRows(t) {
		id := row.number + row.letter
		if slices.Contains(rowsWithoutTests, id) {
			if !strings.HasPrefix(row.tests, "None") {
				t.Errorf("%s is held by tests now: it is no exception", id)
			}
			continue
		}
		for _, part := range strings.Split(row.tests, "; ") {
			m := testsOfPackage.FindStringSubmatch(part)
			if m == nil {
				t.Errorf("%s: %q names no package with tests", id, part)
				continue
			}
			folder, names := m[1], m[2]
			if packages[folder] == nil {
				packages[folder] = testsIn(t, folder)
			}
			for names != "" {
				m := testWithParts.FindStringSubmatch(names)
				if m == nil {
					t.Errorf("%s: %q cannot be read", id, names)
					break
				}
				names = names[len(m[0]):]
				if _, there := packages[folder].rows[m[1]]; !there {
					t.Errorf("%s: %s has no test %s", id, folder, m[1])
				}
				for _, name := range strings.Split(m[2], ", ") {
					if name != "" && !strings.Contains(packages[folder].text, strconv.Quote(name)) {
						t.Errorf("%s: %s has no %q, as in %s", id, folder, name, m[1])
					}
				}
				key := folder + " " + m[1]
				if !slices.Contains(held[key], row.number) {
					held[key] = append(held[key], row.number)
				}
			}
		}
	}
	for folder, tests := range packages {
		for name, rows := range tests.rows {
			if want := held[folder+" "+name]; !slices.Equal(rows, want) {
				t.Errorf("%s: the comment of %s names the rows %v; %s has it for %v: write \"Rows of docs/platform.md: %s.\"", folder, name, rows, rowsFile, want, strings.Join(want, ", "))
			}
		}
	}
}

var (
	specSection = regexp.MustCompile(`^#+ (\d+(?:\.\d+)?)\.? `)
	specRule    = regexp.MustCompile(`^\|[-| ]+\|$`)
	specItem    = regexp.MustCompile(`^(?:\||- |\d+\. )`)
)

// specifiedRows reads the specification: the rows of each section, which are those of its
// tables, the items of its lists, and its paragraphs but for those that lead to a table or
// list.
func specifiedRows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(sharedtest.Path(t, "spec/platform-client.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	rows, section := map[string][]string{}, ""
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "#"):
			if m := specSection.FindStringSubmatch(line); m != nil {
				section = m[1]
			}
		case strings.TrimSpace(line) == "", specRule.MatchString(line), i+1 < len(lines) && specRule.MatchString(lines[i+1]),
			!specItem.MatchString(line) && strings.HasSuffix(line, ":"):
		default:
			rows[section] = append(rows[section], line)
		}
	}
	return rows
}

// TestPlatformRowsAreAll: docs/platform.md has as many rows of each section as the
// specification, in order and without gaps.
func TestPlatformRowsAreAll(t *testing.T) {
	specified := specifiedRows(t)
	var want, got []string
	for _, section := range rowSections {
		for i := range specified[section] {
			want = append(want, fmt.Sprintf("%s.%d", section, i+1))
		}
	}
	letters := map[string]string{}
	for _, row := range listedRows(t) {
		if letters[row.number] == "" && !strings.HasPrefix(row.number, toolkitRow) {
			got = append(got, row.number)
		}
		letters[row.number] += row.letter
	}
	for number, is := range letters {
		if is != "" && (len(is) == 1 || !strings.HasPrefix("abcdefgh", is)) {
			t.Errorf("%s has the letters %q", number, is)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the rows\n%v\nthe specification has\n%v", rowsFile, got, want)
	}
}

// TestToolkitRowsAreAll: each subsection of sections 2.6 and 3 to 7 of the toolkit page has rows.
func TestToolkitRowsAreAll(t *testing.T) {
	text, err := os.ReadFile(sharedtest.Path(t, "spec/platform-toolkit.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^### (2\.6|[3-7]\.\d+) `).FindAllStringSubmatch(string(text), -1) {
		want = append(want, toolkitRow+m[1])
	}
	for _, row := range listedRows(t) {
		if strings.HasPrefix(row.number, toolkitRow) && !slices.Contains(got, row.number) {
			got = append(got, row.number)
		}
	}
	if !slices.Equal(got, want) || len(want) < 28 {
		t.Errorf("%s has the rows %v of the toolkit page, which has %v", rowsFile, got, want)
	}
}

var quotedWord = regexp.MustCompile("`([^`]+)`")

// TestServerKeysInGuide: the guide has each key that OAuth2 needs in the configuration of a
// server.
// Rows of docs/platform.md: 5.11.
func TestServerKeysInGuide(t *testing.T) {
	guide := readText(t, "docs/guide.md")
	rows, keys := specifiedRows(t)["5"], 0
	if len(rows) < 11 {
		t.Fatalf("section 5 has %d rows", len(rows))
	}
	for _, row := range rows[5:11] {
		if cell, _, table := strings.Cut(strings.TrimPrefix(row, "|"), "|"); table {
			row = cell
		}
		for _, m := range quotedWord.FindAllStringSubmatch(row, -1) {
			keys++
			if !strings.Contains(guide, m[0]) {
				t.Errorf("docs/guide.md does not have %s", m[0])
			}
		}
	}
	if keys < 16 {
		t.Errorf("only %d keys are found", keys)
	}
}

// TestOneModule: all packages have one version, for they are one module. The server for tests of
// logins is another one, which takes this one as it is here, and so is what builds releases, which
// imports none.
// Rows of docs/platform.md: 9.4.
func TestOneModule(t *testing.T) {
	var modules []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.Name() == "go.mod" || d.Name() == "go.work":
			modules = append(modules, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil || !slices.Equal(modules, []string{"auth/authtest/go.mod", "go.mod", "packaging/go.mod"}) {
		t.Errorf("%q, %v", modules, err)
	}
	if text := readText(t, "auth/authtest/go.mod"); !strings.Contains(text, "\nreplace "+module+" => ../..\n") {
		t.Error("auth/authtest takes another version of this module")
	}
}

var versionRule = regexp.MustCompile(`(?m)^\| (V\d+) \| .+ \| (.+) \|$`)

// TestVersionRules: docs/platform.md has each rule of the page of rules by version, in order, with tests that are
// there.
func TestVersionRules(t *testing.T) {
	specified, err := os.ReadFile(sharedtest.Path(t, "spec/platform-versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range versionRule.FindAllStringSubmatch(string(specified), -1) {
		want = append(want, m[1])
	}
	for _, m := range versionRule.FindAllStringSubmatch(readText(t, rowsFile), -1) {
		got = append(got, m[1])
		for _, part := range strings.Split(m[2], "; ") {
			names := testsOfPackage.FindStringSubmatch(part)
			if names == nil {
				t.Errorf("%s: %q names no package with tests", m[1], part)
				continue
			}
			tests := testsIn(t, names[1])
			for _, name := range strings.Split(names[2], ", ") {
				if _, there := tests.rows[name]; !there {
					t.Errorf("%s: %s has no test %s", m[1], names[1], name)
				}
			}
		}
	}
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("%s has the rules %v, the page of rules %v", rowsFile, got, want)
	}
}
