package browser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// tourTask is a task of docs/tour.md.
type tourTask struct {
	Name, Title, Seen string
	Steps             []string
}

// tourSeen are what people see at the end of the tasks on the page.
var tourSeen = map[string]string{
	"find":       `(?i)fracture.*neck.*femur`,
	"browse":     `Fracture of femur.*S72`,
	"concept":    `^Diarrhea`,
	"members":    `^\d+ codes`,
	"why":        `not in the value set`,
	"expression": `^\d+ `,
	"basket":     `Cholera`,
	"translate":  `HP:0002014`,
	"population": `\d+`,
}

// tourCommands are the tasks at a terminal: a title, the lines that are typed, and how the lines of their
// answer begin that the page shows.
var tourCommands = []struct {
	title string
	steps []string
	lines []string
}{
	{
		"Which of these codes are inactive, or no codes at all?",
		[]string{"Write the codes one a line, or take a CSV: `roget validate-code --from` reads both."},
		[]string{"roget validate-code --from codes.csv --column code --system " + icd10cm + " --data DATA"},
	},
	{
		"Give names to the codes of a table",
		[]string{"`roget annotate` copies a table, and adds columns."},
		[]string{"roget annotate codes.csv --column code --system " + icd10cm + " --add display,parents --data DATA"},
	},
}

// TestTour does the tasks of docs/tour.md, and fails if the page says something else. ROGET_TOUR=write
// writes the page and its pictures.
func TestTour(t *testing.T) {
	browser := browserFor(t)
	data := pageData(t)
	server := backendtest.Serve(t, backendtest.Released, "--data", data)
	fillTour(t, server.URL)
	plan, err := json.Marshal(map[string]string{
		"concept": pageOf("concept", "system", icd10cm, "code", "S72.0"), "valueSet": pageOf("valueset", "url", infections), "byConcept": "Count by concept",
	})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	pictures := filepath.Join(docs, "tour")
	write := os.Getenv("ROGET_TOUR") == "write"
	folder := t.ArtifactDir()
	if write {
		folder = pictures
	}
	var got struct {
		Problems []string
		Tasks    []tourTask
	}
	runScript(t, &got, "page_tour.mjs", browser, server.URL, folder, string(plan))
	for _, problem := range got.Problems {
		t.Error(problem)
	}
	var page bytes.Buffer
	page.WriteString("# A tour\n\nEleven tasks, each in at most five steps. A test does them and writes this page. The data are ICD-10-CM, the Human Phenotype Ontology, a value set, a map, and twelve invented patients; [the guide](guide.md) says how to load code systems.\n\n## On the page\n\n`roget serve` shows it at `/ui/`. Everything works with the keyboard alone.\n")
	for _, task := range got.Tasks {
		if want := tourSeen[task.Name]; !regexp.MustCompile(want).MatchString(task.Seen) {
			t.Errorf("%s: seen %q, want %s", task.Name, task.Seen, want)
		}
		if _, err := os.Stat(filepath.Join(pictures, task.Name+".webp")); err != nil && !write {
			t.Error(err)
		}
		fmt.Fprintf(&page, "\n### %s\n\n", task.Title)
		for i, step := range task.Steps {
			fmt.Fprintf(&page, "%d. %s\n", i+1, step)
		}
		fmt.Fprintf(&page, "\n![%s](tour/%s.webp)\n", task.Title, task.Name)
	}
	if len(got.Tasks) != len(tourSeen) {
		t.Errorf("%d tasks, want %d", len(got.Tasks), len(tourSeen))
	}
	page.WriteString("\n## At a terminal\n\nThe file `codes.csv` has this table:\n\n```\n" + tourTable + "```\n")
	table := filepath.Join(t.TempDir(), "codes.csv")
	if err := os.WriteFile(table, []byte(tourTable), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range tourCommands {
		fmt.Fprintf(&page, "\n### %s\n\n", c.title)
		for i, step := range c.steps {
			fmt.Fprintf(&page, "%d. %s\n", i+1, step)
		}
		for _, line := range c.lines {
			args := strings.Fields(strings.NewReplacer("codes.csv", table, "DATA", data).Replace(line))
			cmd := backendtest.Released(t, args[1:]...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("%s: %v: %s", line, err, errs.String())
			}
			fmt.Fprintf(&page, "\n```\n$ %s\n%s```\n", strings.TrimSuffix(line, " --data DATA"), out.String())
		}
	}
	path := filepath.Join(docs, "tour.md")
	if write {
		if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, page.Bytes()) {
		t.Errorf("docs/tour.md is not what the tasks are (%v); ROGET_TOUR=write go test -run TestTour writes it:\n%s", err, page.String())
	}
}

const tourTable = "patient,code\np1,S72.001A\np2,A00.0\np3,A00.10\np4,J45.909\n"

// pageData returns a data folder with ICD-10-CM and HPO.
func pageData(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	load := backendtest.Released(t, "load", "--data", data,
		sharedtest.Path(t, "data/icd10cm/CodeSystem-icd-10-cm.json.gz"), sharedtest.Path(t, "data/hpo/CodeSystem-hpo.json.gz"))
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("load: %v: %s", err, out)
	}
	return data
}

// fillTour stores what the tour needs.
func fillTour(t *testing.T, server string) {
	t.Helper()
	putResource(t, server, infectionsSet())
	putResource(t, server, map[string]any{
		"resourceType": "ConceptMap", "id": "phenotypes", "url": phenotypes, "name": "Phenotypes", "title": "ICD-10-CM to phenotypes", "status": "active",
		"sourceUri": infections, "group": []any{map[string]any{"source": icd10cm, "target": hpo, "element": []any{
			map[string]any{"code": "A00.1", "target": []any{map[string]any{"code": "HP:0002014", "display": "Diarrhea", "equivalence": "wider"}}},
			map[string]any{"code": "A01.0", "target": []any{map[string]any{"code": "HP:0001945", "display": "Fever", "equivalence": "wider"}}},
		}}},
	})
	codes := []string{"S72.001A", "S72.002A", "S72.011A", "J45.909", "J45.20", "J44.9", "E11.9", "E11.65", "I10", "A09", "S82.001A", "I21.9"}
	for i, code := range codes {
		id := fmt.Sprintf("p%d", i+1)
		putResource(t, server, map[string]any{"resourceType": "Patient", "id": id, "gender": "unknown"})
		for n, own := range []string{code, codes[(i*5+3)%len(codes)]} {
			putResource(t, server, map[string]any{
				"resourceType": "Condition", "id": fmt.Sprintf("%s-%d", id, n), "subject": map[string]any{"reference": "Patient/" + id},
				"clinicalStatus": map[string]any{"coding": []any{map[string]any{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}}},
				"code":           map[string]any{"coding": []any{map[string]any{"system": icd10cm, "code": own}}},
			})
		}
	}
}
