package bulk_test

import (
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/sharedtest"
)

// synthea imports patients and their hospitals into a new store.
func synthea(tb testing.TB, paths ...string) (bulk.Report, *resources.Service) {
	store, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "store.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = store.Close() })
	svc := resources.NewService(store, engine.New())
	report, err := bulk.Import(tb.Context(), svc, paths, bulk.Options{Refused: func(r bulk.Refusal) { tb.Error(r.Error()) }})
	if err != nil {
		tb.Fatal(err)
	}
	return report, svc
}

// TestImportSynthea imports a patient before the hospitals that the bundle refers to by searches,
// and then once more.
func TestImportSynthea(t *testing.T) {
	folder := sharedtest.Path(t, "data/synthea")
	paths := []string{
		filepath.Join(folder, "19625ee6-1a94-1a6a-ca95-40c4efbbdfc7.json.gz"),
		filepath.Join(folder, "0-hospital-information.json.gz"), filepath.Join(folder, "0-practitioner-information.json.gz"),
	}
	report, svc := synthea(t, paths...)
	if report.Refused != 0 || report.Types["Patient"] != 1 || report.Types["Organization"] != 194 || report.Types["PractitionerRole"] != 195 {
		t.Errorf("%+v", report)
	}
	again, err := bulk.Import(t.Context(), svc, paths, bulk.Options{})
	if err != nil || again.Stored != 0 || again.Unchanged != report.Stored {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// BenchmarkImport imports the 16,412 resources of Synthea into SQLite.
func BenchmarkImport(b *testing.B) {
	folder := sharedtest.Path(b, "data/synthea")
	for b.Loop() {
		report, _ := synthea(b, folder)
		b.ReportMetric(float64(report.Stored)/report.Time.Seconds(), "resources/s")
	}
}
