package main_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/roget-health/roget"

// topLevel are the only folders with code.
var topLevel = []string{
	"access", "adapters", "auth", "budget", "cliadapter", "codesystem", "engine", "examples",
	"httpadapter", "internal", "mcpadapter", "packaging", "resources", "uiadapter", "valueset",
}

// allowed lists, for each package of ours, the packages of ours it may import. A
// package that is not listed may import none. "x/..." covers x and all below it.
// Tests may import anything.
var allowed = map[string][]string{
	".":                              {"cliadapter/backend"},
	"cliadapter/backend":             {"internal/durable", "resources/export", "adapters/auditevents", "adapters/auditlog", "access/audit", "access/audit/balp", "budget", "access", "cliadapter", "access/policy", "httpadapter", "httpadapter/authn/...", "engine", "engine/closure", "engine/operation", "engine/base", "resources", "resources/bulk", "resources/index", "resources/synth", "resources/r4", "codesystem", "codesystem/loader/...", "adapters/agreement", "adapters/certfile", "adapters/memory", "adapters/sqlite", "adapters/postgres", "adapters/subscriptions", "adapters/datadir", "adapters/tracing", "examples/samples", "mcpadapter", "mcpadapter/bridgetool", "mcpadapter/platformtools", "mcpadapter/terminology", "uiadapter"},
	"cliadapter/backend/backendtest": {"cliadapter", "cliadapter/backend", "engine/operation"},
	"cliadapter":                     {"access/audit", "access", "access/policy", "auth", "auth/profile", "cliadapter/bridge", "cliadapter/browse", "cliadapter/command", "cliadapter/lists", "cliadapter/outline", "cliadapter/platform", "httpadapter/authn", "codesystem", "codesystem/classify", "codesystem/ecl", "codesystem/loader", "codesystem/loader/formats", "engine", "engine/base", "engine/changes", "engine/issue", "engine/names", "engine/operation", "resources", "resources/bulk", "resources/definitions", "resources/document", "resources/fhirxml", "resources/index", "resources/profile", "resources/r4", "resources/score", "resources/search", "resources/synth", "resources/validate", "resources/view"},
	"cliadapter/bridge":              {"auth/profile", "cliadapter/command"},
	"cliadapter/browse":              {"cliadapter/command", "cliadapter/outline", "codesystem", "engine", "resources/r4"},
	"cliadapter/command":             {"auth", "engine", "engine/operation"},
	"cliadapter/lists":               {"cliadapter/command"},
	"cliadapter/outline":             {"codesystem", "engine"},
	"cliadapter/platform":            {"adapters/platform", "adapters/platform/audit", "adapters/platform/audit/report", "adapters/platform/audit/runfolder", "adapters/platform/catalogue", "auth", "auth/login", "auth/oauth2", "auth/profile", "auth/tokenstore", "cliadapter/command", "engine", "engine/operation"},
	"httpadapter":                    {"resources/export", "access/audit", "httpadapter/openapi", "budget", "access", "engine/operation", "engine", "engine/issue", "codesystem", "resources", "resources/definitions", "resources/document", "resources/fhirxml", "resources/index", "resources/patch", "resources/search", "resources/validate", "resources/view", "resources/r4", "resources/r5"},
	"uiadapter":                      {"access", "engine", "engine/changes", "engine/issue", "engine/language", "engine/conceptmap", "codesystem", "codesystem/ecl", "valueset", "resources/definitions", "resources/r4", "resources/search", "engine/spelling", "uiadapter/diagram"},
	"uiadapter/diagram":              {},
	"mcpadapter":                     {"auth", "mcpadapter/answer"},
	"mcpadapter/answer":              {},
	"mcpadapter/bridgetool":          {"mcpadapter/answer"},
	"mcpadapter/terminology":         {"mcpadapter/answer", "engine", "engine/names", "engine/operation", "engine/spelling", "resources/r4"},
	"mcpadapter/platformtools":       {"mcpadapter/answer", "adapters/platform", "adapters/platform/audit", "adapters/platform/audit/runfolder", "auth", "auth/login", "auth/oauth2", "auth/profile"},
	"engine/operation":               {"access", "budget", "engine", "engine/closure", "engine/conceptmap", "engine/issue", "valueset", "codesystem", "codesystem/loader/...", "resources", "resources/document", "resources/score", "resources/synth", "resources/validate", "resources/r4"},

	"engine":                               {"codesystem/expression", "engine/answer", "engine/catalog", "engine/conceptmap", "engine/expansion", "engine/issue", "engine/language", "engine/resolve", "engine/validation", "valueset", "codesystem", "codesystem/loader/...", "resources/r4", "engine/changes"},
	"engine/changes":                       {"codesystem", "engine/answer"},
	"engine/closure":                       {"access", "codesystem", "resources", "resources/r4"},
	"engine/validation":                    {"codesystem/expression", "engine/answer", "engine/catalog", "engine/issue", "engine/language", "engine/resolve", "valueset", "codesystem", "resources/r4"},
	"engine/expansion":                     {"engine/answer", "engine/catalog", "engine/issue", "engine/language", "engine/resolve", "valueset", "codesystem", "resources/r4"},
	"engine/resolve":                       {"codesystem/expression", "engine/catalog", "engine/issue", "valueset", "codesystem", "codesystem/grammar", "resources/r4"},
	"engine/catalog":                       {"codesystem/expression", "engine/conceptmap", "engine/issue", "valueset", "codesystem", "codesystem/grammar", "codesystem/loader/fhir", "resources/r4"},
	"engine/language":                      {"engine/issue", "codesystem", "resources/r4"},
	"engine/issue":                         {"engine/conceptmap", "valueset", "resources/r4"},
	"engine/answer":                        {},
	"engine/spelling":                      {},
	"engine/names":                         {},
	"engine/conceptmap":                    {"codesystem", "resources/r4"},
	"valueset":                             {"codesystem/expression", "codesystem", "codesystem/ecl", "resources/r4"},
	"codesystem":                           {"codesystem/fold", "resources/r4"},
	"codesystem/fold":                      {},
	"codesystem/ecl":                       {"codesystem/expression", "codesystem", "resources/r4"},
	"codesystem/expression":                {"codesystem", "resources/r4"},
	"codesystem/expression/expressiontest": {"codesystem", "resources/r4"},
	"codesystem/classify":                  {},
	"codesystem/classify/owl":              {"codesystem/classify"},
	"codesystem/grammar":                   {"codesystem", "codesystem/grammar/...", "codesystem/packed", "resources/r4"},
	"codesystem/grammar/gen":               {"codesystem/grammar/ucum", "codesystem/packed/pack", "resources/r4"},
	"codesystem/packed/pack":               {"codesystem/packed"},
	"codesystem/registries":                {"codesystem", "codesystem/packed", "resources/r4"},
	"codesystem/grammar/bcp47":             {"codesystem/packed"},
	"codesystem/grammar/bcp47/gen":         {"codesystem/packed/pack"},
	"codesystem/grammar/ucum":              {"codesystem/packed"},
	"codesystem/registries/gen":            {"codesystem/packed/pack"},
	"resources/definitions/gen":            {"codesystem/packed/pack", "resources/definitions"},
	"codesystem/loader":                    {"codesystem", "resources/r4"},
	"codesystem/loader/fhir":               {"codesystem", "codesystem/loader", "resources/definitions", "resources/fhirxml", "resources/r4", "resources/r5"},
	"codesystem/loader/rf2":                {"codesystem", "codesystem/classify/...", "codesystem/loader", "codesystem/loader/rf2/internal/checkdigit", "resources/r4"},
	"codesystem/loader/obo":                {"codesystem", "codesystem/classify", "codesystem/loader", "resources/r4"},

	"codesystem/loader/csv":         {"codesystem", "codesystem/loader", "resources/r4"},
	"codesystem/loader/claml":       {"codesystem", "codesystem/loader", "codesystem/loader/markup", "resources/r4"},
	"codesystem/loader/icd10cm":     {"codesystem", "codesystem/loader", "codesystem/loader/markup", "resources/r4"},
	"codesystem/loader/markup":      {"codesystem/loader"},
	"codesystem/loader/rf2/rf2test": {"codesystem/loader/rf2/internal/checkdigit"},
	"codesystem/loader/loadertest":  {"codesystem", "codesystem/loader", "resources/r4"},

	"codesystem/loader/loinc":     {"codesystem", "codesystem/loader", "resources/r4"},
	"codesystem/loader/rxnorm":    {"codesystem", "codesystem/loader", "resources/r4"},
	"codesystem/loader/formats":   {"codesystem/classify/...", "codesystem/loader/..."},
	"resources/r4":                {},
	"access":                      {},
	"access/audit":                {},
	"access/audit/balp":           {"access/audit"},
	"access/policy":               {"access"},
	"httpadapter/authn":           {"access"},
	"httpadapter/openapi":         {"engine/operation", "resources/definitions"},
	"httpadapter/authn/bearer":    {"access", "httpadapter/authn"},
	"budget":                      {},
	"resources":                   {"budget", "access", "resources/definitions", "resources/document", "resources/index", "resources/patch", "resources/profile", "resources/search", "resources/validate", "resources/r4"},
	"resources/document":          {"resources/r4"},
	"resources/r5":                {"resources/document", "resources/definitions", "resources/r4"},
	"resources/fhirxml":           {"resources/document", "resources/definitions", "resources/r4"},
	"resources/fhirpath":          {"resources/document", "resources/definitions", "resources/r4"},
	"resources/patch":             {"resources/document", "resources/fhirpath", "resources/definitions", "resources/r4"},
	"resources/profile":           {"resources/document", "resources/fhirpath", "resources/definitions", "resources/validate", "resources/r4"},
	"resources/validate":          {"resources/document", "resources/fhirpath", "resources/definitions", "resources/r4"},
	"resources/view":              {"resources/document", "resources/fhirpath", "resources/definitions", "resources/r4"},
	"resources/index":             {"budget", "resources/document", "resources/fhirpath", "resources/definitions", "resources/r4", "codesystem/fold", "codesystem/grammar/ucum"},
	"resources/search":            {"budget", "resources/index", "resources/document", "resources/definitions", "resources/r4", "codesystem/grammar/ucum"},
	"resources/search/searchtest": {"resources/search", "resources/index", "resources/document", "resources/definitions", "resources/r4"},
	"resources/synth":             {"resources/r4"},
	"resources/export":            {"access", "codesystem/loader", "resources", "resources/bulk", "resources/definitions", "resources/index", "resources/r4", "resources/search", "resources/validate"},
	"resources/bulk":              {"resources", "resources/definitions", "resources/document", "resources/fhirxml", "resources/validate", "resources/r4", "codesystem/loader"},
	"resources/score":             {"resources/document", "resources/r4"},
	"resources/definitions":       {"codesystem/packed", "resources/r4"},
	"engine/base":                 {"engine", "codesystem", "codesystem/loader/...", "codesystem/registries", "resources/definitions", "resources/r4"},
	"adapters/memory":             {"resources", "resources/index"},
	"adapters/sqlite":             {"internal/durable", "budget", "resources", "resources/index", "adapters/internal/..."},
	"adapters/agreement":          {},
	"adapters/postgres":           {"adapters/agreement", "budget", "resources", "resources/index", "adapters/internal/..."},
	"adapters/tracing":            {},
	"adapters/subscriptions":      {"access/audit", "resources", "resources/definitions", "resources/index", "resources/patch", "resources/search"},
	"adapters/storetest":          {"resources", "resources/index"},

	"adapters/internal/sqlstore":      {"budget", "resources", "resources/index"},
	"adapters/internal/explain":       {},
	"adapters/datadir":                {"internal/durable", "adapters/internal/explain", "engine", "codesystem", "codesystem/loader", "resources/r4"},
	"adapters/certfile":               {},
	"adapters/auditlog":               {"internal/durable", "access/audit"},
	"adapters/auditevents":            {"access/audit", "access/audit/balp"},
	"examples/samples":                {"resources/synth"},
	"adapters/platform":               {"auth", "adapters/platform/catalogue"},
	"adapters/platform/catalogue":     {"codesystem/packed"},
	"adapters/platform/catalogue/gen": {"codesystem/packed/pack"},
	"adapters/platform/platformtest":  {},

	"adapters/platform/audit":              {"adapters/platform", "adapters/platform/audit/serverconfig", "auth"},
	"adapters/platform/audit/serverconfig": {},
	"adapters/platform/audit/report":       {"adapters/platform/audit", "auth"},
	"adapters/platform/audit/runfolder":    {"internal/durable", "adapters/platform/audit", "adapters/platform/audit/report"},

	"adapters/platform/v41": {"adapters/platform", "auth"},
	"adapters/platform/v42": {"adapters/platform", "auth"},
	"adapters/platform/v43": {"adapters/platform", "auth"},

	"auth":                      {},
	"auth/oauth2":               {"auth"},
	"auth/tokenstore":           {"auth", "auth/internal/filelock"},
	"auth/keyring":              {"auth", "auth/internal/filelock", "auth/internal/privatefile"},
	"auth/profile":              {"auth", "auth/internal/filelock", "auth/internal/privatefile"},
	"auth/login":                {"auth", "auth/keyring", "auth/oauth2", "auth/profile", "auth/tokenstore"},
	"auth/internal/filelock":    {"internal/durable"},
	"internal/durable":          {},
	"auth/internal/privatefile": {},
	"auth/internal/storetest":   {"auth", "auth/oauth2"},
	"auth/authtest":             {"adapters/platform/platformtest"},
	"packaging":                 {},
}

// outside lists the modules that only some packages may import: drivers, routers and
// command line libraries stay in the adapter that is there for them.
var outside = map[string][]string{
	"github.com/julienschmidt/httprouter": {"httpadapter", "examples/..."},
	"github.com/urfave/cli/v2":            {"cliadapter", "cliadapter/bridge", "cliadapter/command", "cliadapter/platform"},
	"github.com/schollz/progressbar/v3":   {"cliadapter"},
	"github.com/VictoriaMetrics/metrics":  {"httpadapter"},
	"github.com/rs/cors":                  {"httpadapter"},
	"github.com/coreos/go-systemd/v22":    {"cliadapter/backend"},
	"go.opentelemetry.io":                 {"adapters/tracing"},
	"google.golang.org/protobuf":          {"adapters/tracing"},
	"modernc.org/sqlite":                  {"adapters/sqlite", "auth/tokenstore"},
	"github.com/BurntSushi/toml":          {"auth/profile", "access/policy", "cliadapter/command", "httpadapter/authn"},
	"github.com/go-jose/go-jose/v4":       {"httpadapter/authn/bearer"},
	"github.com/zalando/go-keyring":       {"auth/keyring"},
	"golang.org/x/oauth2":                 {"auth/oauth2", "uiadapter"},
	"golang.org/x/crypto":                 {"adapters/platform", "auth/keyring", "auth/authtest", "httpadapter/authn", "packaging"},
	"github.com/ory/fosite":               {"auth/authtest"},
	"github.com/jackc/pgx/v5":             {"adapters/postgres", "adapters/postgres/pgtest"},
	"github.com/tidwall/btree":            {"adapters/memory"},
	"github.com/pressly/goose/v3":         {"adapters/internal/sqlstore", "adapters/sqlite", "adapters/postgres"},
	"github.com/modelcontextprotocol":     {"mcpadapter", "mcpadapter/answer", "mcpadapter/bridgetool", "mcpadapter/platformtools", "mcpadapter/terminology"},
	"github.com/google/jsonschema-go":     {"mcpadapter/answer"},
	"net/http":                            {"httpadapter/...", "uiadapter", "mcpadapter/...", "examples/...", "cliadapter/...", "auth/oauth2", "auth/login", "auth/internal/storetest", "auth/authtest", "adapters/platform/...", "adapters/subscriptions", "adapters/tracing"},

	"github.com/clipperhouse/displaywidth": {"cliadapter/browse", "cliadapter/command"},
	"github.com/gdamore/tcell/v3":          {"cliadapter/browse"},

	"github.com/CycloneDX/cyclonedx-go":      {"packaging"},
	"github.com/google/go-containerregistry": {"packaging"},
}

// TestArchitecture fails on any import edge that the tables above do not allow.
func TestArchitecture(t *testing.T) {
	packages := 0
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "roget-data") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if !seen[dir] {
			seen[dir] = true
			packages++
			if top, _, _ := strings.Cut(dir, "/"); dir != "." && !slices.Contains(topLevel, top) {
				t.Errorf("%s: %q is not one of the top-level folders %v", path, top, topLevel)
			}
			for _, word := range strings.Split(dir, "/") {
				if slices.Contains([]string{"util", "utils", "common", "helpers", "types", "models"}, word) {
					t.Errorf("%s: no package is called %q", path, word)
				}
			}
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, found := strings.CutPrefix(imported, module+"/"); found {
				example := strings.HasPrefix(dir, "examples/") && dir != "examples/samples"
				if !example && !covers(allowed[dir], ours) {
					t.Errorf("%s imports %s: not an allowed edge", path, ours)
				}
				continue
			}
			for prefix, where := range outside {
				if (imported == prefix || strings.HasPrefix(imported, prefix+"/")) && !covers(where, dir) {
					t.Errorf("%s imports %s: only %v may", path, imported, where)
				}
			}
			if dir == "resources/r4" && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s imports %s: resources/r4 uses the standard library only", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if packages < 10 {
		t.Fatalf("only %d packages seen: is the test in the right folder?", packages)
	}
	for dir := range allowed {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("the table names %s, which is not there", dir)
		}
	}
}

// covers reports that list names path, or a folder above it with "/...".
func covers(list []string, path string) bool {
	for _, entry := range list {
		if base, tree := strings.CutSuffix(entry, "/..."); entry == path || tree && (path == base || strings.HasPrefix(path, base+"/")) {
			return true
		}
	}
	return false
}
