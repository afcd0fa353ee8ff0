package rf2test

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Layout is a kind of file.
type Layout struct {
	Path    string // with %s for the release type and the date
	Columns string // names of the columns
}

// Layouts are the files of a release.
var Layouts = map[string]Layout{
	"concept":     {"Terminology/sct2_Concept_%s_INT_%s.txt", "id effectiveTime active moduleId definitionStatusId"},
	"description": {"Terminology/sct2_Description_%s-en_INT_%s.txt", "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId"},
	"definition":  {"Terminology/sct2_TextDefinition_%s-en_INT_%s.txt", "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId"},
	"relationship": {
		"Terminology/sct2_Relationship_%s_INT_%s.txt",
		"id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId",
	},
	"value": {
		"Terminology/sct2_RelationshipConcreteValues_%s_INT_%s.txt",
		"id effectiveTime active moduleId sourceId value relationshipGroup typeId characteristicTypeId modifierId",
	},
	"language":    {"Refset/Language/der2_cRefset_Language%s-en_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId"},
	"simple":      {"Refset/Content/der2_Refset_Simple%s_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId"},
	"association": {"Refset/Content/der2_cRefset_Association%s_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId targetComponentId"},
	"owl":         {"Terminology/sct2_sRefset_OWLExpression%s_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId owlExpression"},
	"simple map":  {"Refset/Map/der2_sRefset_SimpleMap%s_INT_%s.txt", "id effectiveTime active moduleId refsetId referencedComponentId mapTarget"},
	"map": {
		"Refset/Map/der2_iisssccRefset_ExtendedMap%s_INT_%s.txt",
		"id effectiveTime active moduleId refsetId referencedComponentId mapGroup mapPriority mapRule mapAdvice mapTarget correlationId mapCategoryId",
	},
	"dependency": {
		"Refset/Metadata/der2_ssRefset_ModuleDependency%s_INT_%s.txt",
		"id effectiveTime active moduleId refsetId referencedComponentId sourceEffectiveTime targetEffectiveTime",
	},
}

// Files writes the rows as the files of a release type and date, by path below the package.
func (r Release) Files(releaseType, date string) map[string]string {
	files := map[string]string{}
	for kind, l := range Layouts {
		var b strings.Builder
		b.WriteString(strings.ReplaceAll(l.Columns, " ", "\t") + "\r\n")
		n := 0
		for _, row := range r {
			if row.File == kind {
				b.WriteString(strings.Join(row.Fields, "\t") + "\r\n")
				n++
			}
		}
		if n > 0 || kind == "concept" {
			files[releaseType+"/"+fmt.Sprintf(l.Path, releaseType, date)] = b.String()
		}
	}
	return files
}

// Folder writes a package of one release type into a new folder.
func (r Release) Folder(t testing.TB, releaseType, date, since string) string {
	t.Helper()
	return Folder(t, r.At(releaseType, date, since).Files(releaseType, date))
}

// Folder writes files into a new folder.
func Folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Zip writes files into a new archive.
func Zip(t testing.TB, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "release.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
