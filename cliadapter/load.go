package cliadapter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/bulk"
)

func (c builder) loadCommand() *cli.Command {
	data := dataFlag(defaultData, "Data folder to write to. Created if it does not exist.")
	return c.Add(&cli.Command{
		Name: "load", Category: groupData, Usage: "Compile code systems, value sets and concept maps into a data folder",
		Description: "Reads code systems, value sets and concept maps from files, folders and archives, and compiles them into one file " +
			"of the data folder, a pack, which queries and roget serve open in milliseconds. A resource replaces one with the same url " +
			"and version from an earlier load.\n\n" + loadedFormats() + "\n\n" +
			"All RF2 paths of one command form one edition, so name an extension together with the releases that it depends on. A " +
			"Delta without other paths is applied to the RF2 release of the last load; the files of that release must not have moved.\n\n" +
			"Files without terminology are skipped. If any file has an error, the data folder stays unchanged; with --keep-going, " +
			"roget reports the files with errors and loads the others. In both cases the exit code is 3.",
		Flags: append([]cli.Flag{
			data,
			&cli.BoolFlag{Name: "keep-going", Aliases: []string{"k"}, Usage: "Load the other files if some have errors. The exit code is still 3."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "format", Usage: "`FORMAT` Read all paths in this format. By default the format of each path is detected."}, Choices: formats.Names()},
			&cli.StringFlag{Name: "url", Usage: "`URL` Canonical URL of the code system, instead of the one in the source. FHIR resources keep theirs."},
			&cli.StringFlag{Name: "system-version", Usage: "`VERSION` Version of the code system, instead of the one in the source."},
			&cli.StringFlag{Name: "title", Usage: "`TITLE` Title of the code system, instead of the one in the source."},
			&cli.StringFlag{Name: "as-of", Usage: "`YYYYMMDD` RF2: load the state on this date. Needs a Full release, which has all dates."},
			&cli.StringFlag{Name: "edition", Usage: "`MODULE` RF2: identifier of the module that identifies the edition. By default it follows from the module dependencies."},
			&cli.StringFlag{Name: "language-refset", Usage: "`REFSET` RF2: language reference set whose preferred terms become the displays. By default the one for US English, or else the largest."},
			&cli.BoolFlag{Name: "lax-identifiers", Usage: "RF2: accept identifiers with a wrong check digit, or of the wrong kind of component."},
			&cli.BoolFlag{Name: "lax-dependencies", Usage: "RF2: accept releases whose modules depend on missing or older modules."},
		}, outputOptions()...),
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{{Name: "PATH", Required: true, Many: true, Usage: "File or folder to read."}},
		Examples: []string{
			"roget load CodeSystem-icd-10-cm.json.gz",
			"roget load hl7.fhir.r4.core.tgz terminology/ --data /var/lib/roget",
			"roget load SnomedCT_International.zip SnomedCT_Extension.zip",
			"roget load SnomedCT_Full.zip --as-of 20230731",
			"roget load chebi.obo.gz --system-version 105",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			if err := filesOnly(inv.Args()); err != nil {
				return err
			}
			obs := inv.loud()
			err := c.config.Backend.Load(ctx, LoadRequest{
				Paths: inv.Args(), Data: inv.Text("data"), KeepGoing: inv.Is("keep-going"), Settings: inv.loadSettings(),
			}, obs)
			obs.finish()
			if err != nil {
				return err
			}
			if err := inv.writeLoaded(obs.loaded); err != nil {
				return err
			}
			inv.note("in the data folder " + absolute(inv.Text("data")))
			if obs.failed > 0 {
				return fmt.Errorf("%s in the sources; the files with errors were not loaded", command.Counted(obs.failed, "error"))
			}
			return nil
		}),
	})
}

// filesOnly refuses sources that are addresses of the web.
func filesOnly(paths []string) error {
	for _, path := range paths {
		if bulk.IsURL(path) {
			return command.Usagef("%s is a URL, but roget reads files and folders only: download it with curl -LO %s, then name the file %s", path, path, path[strings.LastIndex(path, "/")+1:])
		}
	}
	return nil
}

// loadedFormats lists the formats for the help.
func loadedFormats() string {
	lines := []string{"Formats:\n"}
	for _, f := range formats.All() {
		lines = append(lines, fmt.Sprintf("  %-8s %s", f.Name, f.Title))
	}
	return strings.Join(lines, "\n")
}

// loadSettings returns the settings for the sources from the flags.
func (inv *invocation) loadSettings() formats.Settings {
	return formats.Settings{
		Format:         inv.Text("format"),
		Identity:       loader.Identity{URL: inv.Text("url"), Version: inv.Text("system-version"), Title: inv.Text("title")},
		AsOf:           inv.Text("as-of"),
		Edition:        inv.Text("edition"),
		LanguageRefset: inv.Text("language-refset"),

		LaxIdentifiers: inv.Is("lax-identifiers"), LaxDependencies: inv.Is("lax-dependencies"),
	}
}

// writeLoaded prints what was loaded. A table for people summarizes more than summaryRows rows;
// JSON has all of them.
func (inv *invocation) writeLoaded(loaded []Loaded) error {
	if inv.Text("output") == "json" {
		rows := make([]loadedRow, len(loaded))
		for i, l := range loaded {
			rows[i] = loadedRow{l.Kind, l.URL, l.Version, l.Concepts, float64(l.Time.Microseconds()) / 1000, l.Size}
		}
		return inv.WriteValue(rows)
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
		t.Rows = append(t.Rows, []string{"...", "and " + command.Counted(rest, "smaller resource")})
	}
	t.Footer = fmt.Sprintf("%s, %s, %s: %s, %s",
		command.Counted(totals[kinds[0]], kinds[0]), command.Counted(totals[kinds[1]], kinds[1]), command.Counted(totals[kinds[2]], kinds[2]),
		command.Counted(concepts, "concept"), bytesText(size))
	return inv.WriteTable(t)
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
