package cliadapter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine"
)

func (c *CLI) loadCommand() *command {
	data := dataOption("The data folder to write to; made when it is not there.")
	data.preset = defaultData
	return &command{
		name: "load", group: groupData, access: accessWrite, summary: "Compile code systems, value sets and concept maps into a data folder",
		doc: "Reads code systems, value sets and concept maps from files, folders and archives and compiles them into one pack of " +
			"the data folder, which queries and serve open in milliseconds. What a later load brings replaces what an earlier one " +
			"brought of the same url and version.\n\n" + loadedFormats() + "\n\n" +
			"RF2 paths of one call make one edition: name an extension together with the releases that it depends on. A delta alone " +
			"is applied to the RF2 release that was loaded last, whose files must still be where they were.\n\n" +
			"Files that hold other things are skipped. On any error nothing changes in the data folder, and the exit code is 3; " +
			"with --keep-going the files with errors are reported and left out.",
		args: []argument{{name: "PATH", required: true, many: true, files: true, usage: "File or folder to read."}},
		options: append(options{
			data,
			{names: []string{"keep-going", "k"}, usage: "Load what can be loaded although some files have errors; the exit code is still 3."},
			{names: []string{"format"}, value: true, choices: formats.Names(), hint: "FORMAT", usage: "Read all paths as this format. Default: found out for each path."},
			{names: []string{"url"}, value: true, hint: "URL", usage: "Canonical of the code system, in place of what the source says. FHIR resources keep their own."},
			{names: []string{"system-version"}, value: true, hint: "VERSION", usage: "Version of the code system, likewise."},
			{names: []string{"title"}, value: true, hint: "TITLE", usage: "Title of the code system, likewise."},
			{names: []string{"as-of"}, value: true, hint: "YYYYMMDD", usage: "RF2: what was in effect on this date (Full releases have every date)."},
			{names: []string{"edition"}, value: true, hint: "MODULE", usage: "RF2: identifier of the module that names the edition. Default: found out from the module dependencies."},
			{names: []string{"language-refset"}, value: true, hint: "REFSET", usage: "RF2: language reference set whose preferred terms are the displays. Default: that of US English, else the largest."},
			{names: []string{"lax-identifiers"}, usage: "RF2: accept identifiers with a wrong check digit or of another kind of component."},
			{names: []string{"lax-dependencies"}, usage: "RF2: accept that modules are missing, or too old, that others depend on."},
		}, outputOptions()...),
		examples: []string{
			"roget load CodeSystem-icd-10-cm.json.gz",
			"roget load hl7.fhir.r4.core.tgz terminology/ --data /var/lib/roget",
			"roget load SnomedCT_International.zip SnomedCT_Extension.zip",
			"roget load SnomedCT_Full.zip --as-of 20230731",
			"roget load chebi.obo.gz --system-version 105",
		},
		run: func(ctx context.Context, inv *invocation) error {
			obs := inv.loud()
			err := c.config.Backend.Load(ctx, LoadRequest{
				Paths: inv.args(), Data: inv.text("data"), KeepGoing: inv.is("keep-going"), Settings: inv.loadSettings(),
			}, obs)
			obs.finish()
			if err != nil {
				return err
			}
			if err := inv.writeLoaded(obs.loaded); err != nil {
				return err
			}
			if obs.failed > 0 {
				return fmt.Errorf("%s in the sources; what they are in was left out", counted(obs.failed, "error"))
			}
			return nil
		},
	}
}

// loadedFormats lists the formats for the help.
func loadedFormats() string {
	lines := []string{"Formats:\n"}
	for _, f := range formats.All() {
		lines = append(lines, fmt.Sprintf("  %-8s %s", f.Name, f.Title))
	}
	return strings.Join(lines, "\n")
}

// loadSettings returns what the flags say about the sources.
func (inv *invocation) loadSettings() formats.Settings {
	return formats.Settings{
		Format:         inv.text("format"),
		Identity:       loader.Identity{URL: inv.text("url"), Version: inv.text("system-version"), Title: inv.text("title")},
		AsOf:           inv.text("as-of"),
		Edition:        inv.text("edition"),
		LanguageRefset: inv.text("language-refset"),

		LaxIdentifiers: inv.is("lax-identifiers"), LaxDependencies: inv.is("lax-dependencies"),
	}
}

// writeLoaded prints what was loaded. More than summaryRows rows are summed up for
// people; JSON has all of them.
func (inv *invocation) writeLoaded(loaded []Loaded) error {
	if inv.text("output") == "json" {
		rows := make([]loadedRow, len(loaded))
		for i, l := range loaded {
			rows[i] = loadedRow{l.Kind, l.URL, l.Version, l.Concepts, float64(l.Time.Microseconds()) / 1000, l.Size}
		}
		return inv.writeValue(rows)
	}
	t := &engine.Table{Header: []string{"KIND", "URL", "VERSION", "CONCEPTS", "TIME", "SIZE"}}
	totals := map[string]int{}
	var concepts int
	var size int64
	for _, l := range loaded {
		totals[l.Kind]++
		concepts += l.Concepts
		size += l.Size
	}
	shown := 0
	for _, l := range loaded {
		if len(loaded) > summaryRows && l.Concepts < summaryConcepts {
			continue
		}
		count := ""
		if l.Kind == kinds[0] {
			count = engine.Thousands(l.Concepts)
		}
		t.Rows = append(t.Rows, []string{l.Kind, l.URL, l.Version, count, rounded(l.Time), bytesText(l.Size)})
		shown++
	}
	if rest := len(loaded) - shown; rest > 0 {
		t.Rows = append(t.Rows, []string{"...", "and " + counted(rest, "smaller resource")})
	}
	t.Footer = fmt.Sprintf("%s, %s, %s: %s, %s",
		counted(totals[kinds[0]], kinds[0]), counted(totals[kinds[1]], kinds[1]), counted(totals[kinds[2]], kinds[2]),
		counted(concepts, "concept"), bytesText(size))
	return inv.writeTable(t)
}

// A longer list than summaryRows shows code systems from summaryConcepts concepts on.
const (
	summaryRows     = 40
	summaryConcepts = 1000
)

// A loadedRow is one line of roget load --output json.
type loadedRow struct {
	Kind         string  `json:"kind"`
	URL          string  `json:"url"`
	Version      string  `json:"version,omitempty"`
	Concepts     int     `json:"concepts"`
	Milliseconds float64 `json:"milliseconds"`
	Bytes        int64   `json:"bytes"`
}

// bytesText writes a size with a binary unit.
func bytesText(n int64) string {
	const units = "KMGT"
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	value := float64(n)
	unit := -1
	for value >= 1024 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[unit:unit+1] + "iB"
}
