package cliadapter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// dataFrom says who named the data folder.
func (inv *invocation) dataFrom() string {
	switch {
	case inv.IsSet("data"):
		return "named by --data"
	case inv.Given("data"):
		return "named by ROGET_DATA"
	}
	return "the default, below the current folder"
}

// checkData opens the data folder and counts what is in it.
func (inv *invocation) checkData(ctx context.Context) []finding {
	path := inv.Text("data")
	f := finding{Check: "data folder", Text: absolute(path) + ", " + inv.dataFrom()}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.State, f.Text = stateNote, f.Text+": it does not exist, and queries answer from the built-in samples"
		if inv.Given("data") {
			f.State, f.Text = stateProblem, strings.TrimSuffix(f.Text, ", and queries answer from the built-in samples")
		}
		f.Remedy = fmt.Sprintf("roget load PATH --data %s makes it; or name another folder with --data or ROGET_DATA", quoted(path))
		return []finding{f}
	case err == nil && !info.IsDir():
		err = fmt.Errorf("%s: %w", path, errNoFolder)
	}
	if err != nil {
		f.State, f.Text, f.Remedy = stateProblem, f.Text+": "+err.Error(), "name another folder with --data or ROGET_DATA"
		return []finding{f}
	}
	found := finding{Check: "versions", State: stateOK}
	obs := &warnings{}
	err = inv.cli.config.Backend.Query(ctx, Sources{Data: path}, obs, func(eng *engine.Engine) error {
		f.State, f.Text = stateOK, f.Text+": "+contents(eng)
		found = checkVersions(eng)
		return nil
	})
	switch {
	case err != nil:
		f.State, f.Text, f.Remedy = stateProblem, f.Text+": "+err.Error(), fmt.Sprintf("roget verify --data %s lists all damage; load the sources of a damaged pack again", quoted(path))
		return []finding{f}
	case len(obs.texts) > 0:
		f.State, f.Text = stateNote, f.Text+"; "+strings.Join(obs.texts, "; ")
	}
	return []finding{f, found}
}

// errNoFolder is the error about a file where a folder belongs.
var errNoFolder = errors.New("it is no folder")

// contents counts what an engine has.
func contents(eng *engine.Engine) string {
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		parts[i] = command.Counted(len(eng.Entries(kind)), kind)
	}
	return strings.Join(parts, ", ")
}

// warnings collects what is said about sources.
type warnings struct {
	silent
	texts []string
}

func (w *warnings) Warned(text string) { w.texts = append(w.texts, text) }
func (w *warnings) Failed(err error)   { w.texts = append(w.texts, err.Error()) }

// maxVersions is the number of code systems with several versions that are named.
const maxVersions = 5

// checkVersions names the code systems that are loaded in several versions, and which of them answers.
func checkVersions(eng *engine.Engine) finding {
	f := finding{Check: "versions", State: stateOK, Text: "each code system has one version"}
	versions, defaults := map[string][]string{}, map[string]string{}
	for _, e := range eng.Entries(kinds[0]) {
		if e.Header.URL == "" || e.Supplements != "" {
			continue
		}
		versions[e.Header.URL] = append(versions[e.Header.URL], e.Header.Version)
		if eng.IsDefault(e) {
			defaults[e.Header.URL] = e.Header.Version
		}
	}
	var several []string
	for url, list := range versions {
		if len(list) > 1 {
			slices.Sort(list)
			several = append(several, fmt.Sprintf("%s has %s, and %s answers", url, strings.Join(list, ", "), defaults[url]))
		}
	}
	if len(several) == 0 {
		return f
	}
	slices.Sort(several)
	f.State, f.Remedy = stateNote, "to ask another version, write SYSTEM|VERSION; roget diff SYSTEM|OLD SYSTEM|NEW compares two"
	f.Text = strings.Join(several[:min(len(several), maxVersions)], "; ")
	if more := len(several) - maxVersions; more > 0 {
		f.Text += fmt.Sprintf("; and %d more", more)
	}
	return f
}

// checkStore opens the resource store for reading.
func (inv *invocation) checkStore(ctx context.Context) finding {
	f := finding{Check: "store", State: stateOK}
	o := StoreOptions{Data: inv.Text("data")}
	var err error
	if o.Store, err = inv.storeAddress(); err != nil {
		f.State, f.Text = stateProblem, err.Error()
		return f
	}
	f.Text = "the resource store in " + storeName(o)
	err = inv.cli.config.Backend.Resources(ctx, o, silent{}, func(*resources.Service) error { return nil })
	switch {
	case err == nil:
		f.Text += " opens"
	case errors.Is(err, fs.ErrNotExist) && o.Store == "":
		f.Text = "no resources are stored yet: roget serve and roget import make a store in " + storeName(o)
	default:
		f.State, f.Text = stateProblem, f.Text+": "+err.Error()
		f.Remedy = "roget verify says what is damaged, and roget restore returns to a backup; for PostgreSQL, check that it runs and the address in --store or ROGET_STORE"
	}
	return f
}
