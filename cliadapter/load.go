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
)

func (c builder) loadCommand() *cli.Command {
	data := dataFlag(defaultData, "The data folder to write to; made when it is not there.")
	return c.Add(&cli.Command{
		Name: "load", Category: groupData, Usage: "Compile code systems, value sets and concept maps into a data folder",
		Description: "Reads code systems, value sets and concept maps from files, folders and archives and compiles them into one pack of " +
			"the data folder, which queries and serve open in milliseconds. What a later load brings replaces what an earlier one " +
			"brought of the same url and version.\n\n" + loadedFormats() + "\n\n" +
			"RF2 paths of one call make one edition: name an extension together with the releases that it depends on. A delta alone " +
			"is applied to the RF2 release that was loaded last, whose files must still be where they were.\n\n" +
			"Files that hold other things are skipped. On any error nothing changes in the data folder, and the exit code is 3; " +
			"with --keep-going the files with errors are reported and left out.",
		Flags: append([]cli.Flag{
			data,
			&cli.BoolFlag{Name: "keep-going", Aliases: []string{"k"}, Usage: "Load what can be loaded although some files have errors; the exit code is still 3."},
			&command.Flag{StringFlag: cli.StringFlag{Name: "format", Usage: "`FORMAT` Read all paths as this format. Default: found out for each path."}, Choices: formats.Names()},
			&cli.StringFlag{Name: "url", Usage: "`URL` Canonical of the code system, in place of what the source says. FHIR resources keep their own."},
			&cli.StringFlag{Name: "system-version", Usage: "`VERSION` Version of the code system, likewise."},
			&cli.StringFlag{Name: "title", Usage: "`TITLE` Title of the code system, likewise."},
			&cli.StringFlag{Name: "as-of", Usage: "`YYYYMMDD` RF2: what was in effect on this date (Full releases have every date)."},
			&cli.StringFlag{Name: "edition", Usage: "`MODULE` RF2: identifier of the module that names the edition. Default: found out from the module dependencies."},
			&cli.StringFlag{Name: "language-refset", Usage: "`REFSET` RF2: language reference set whose preferred terms are the displays. Default: that of US English, else the largest."},
			&cli.BoolFlag{Name: "lax-identifiers", Usage: "RF2: accept identifiers with a wrong check digit or of another kind of component."},
			&cli.BoolFlag{Name: "lax-dependencies", Usage: "RF2: accept that modules are missing, or too old, that others depend on."},
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
			if obs.failed > 0 {
				return fmt.Errorf("%s in the sources; what they are in was left out", command.Counted(obs.failed, "error"))
			}
			return nil
		}),
	})
}

// filesOnly refuses sources that are addresses of the web.
func filesOnly(paths []string) error {
	for _, path := range paths {
		if scheme, rest, found := strings.Cut(path, "://"); found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) {
			return command.Usagef("%s is a URL, and only files and folders are read: fetch it first, with curl -LO %s, then name the file %s", path, path, rest[strings.LastIndex(rest, "/")+1:])
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

// loadSettings returns what the flags say about the sources.
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

// writeLoaded prints what was loaded. More than summaryRows rows are summed up for
// people; JSON has all of them.
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
