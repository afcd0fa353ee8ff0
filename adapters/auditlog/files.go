package auditlog

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

const (
	packed    = ".gz"
	temporary = ".tmp"
	lockName  = ".lock"
	dayLayout = "2006-01-02"
)

// A logFile is a file of a log. Its name has the number of its first line and the day of that line.
type logFile struct {
	path   string
	first  uint64
	day    time.Time
	packed bool
}

// fileName returns the name of the file whose first line has a number and a time.
func fileName(first uint64, at time.Time) string {
	n := strconv.FormatUint(first, 10)
	return "audit-" + strings.Repeat("0", max(0, 12-len(n))) + n + "-" + at.UTC().Format(dayLayout) + ".jsonl"
}

// parseName reads the name of a file of a log.
func parseName(path string) (f logFile, ok bool) {
	m := regexp.MustCompile(`^audit-(\d{12,20})-(\d{4}-\d\d-\d\d)\.jsonl(\.gz)?$`).FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return f, false
	}
	first, err := strconv.ParseUint(m[1], 10, 64)
	day, err2 := time.Parse(dayLayout, m[2])
	return logFile{path, first, day, m[3] != ""}, err == nil && err2 == nil
}

// list returns the files of a folder in the order of their lines. Of a file that is there in both forms,
// it returns the one that is not compressed.
func list(folder string) ([]logFile, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []logFile
	for _, e := range entries {
		if f, ok := parseName(filepath.Join(folder, e.Name())); ok && e.Type().IsRegular() {
			files = append(files, f)
		}
	}
	sort.Slice(files, func(i, j int) bool {
		a, b := &files[i], &files[j]
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(len(a.path), len(b.path))) < 0
	})
	return slices.CompactFunc(files, func(a, b logFile) bool { return a.path+packed == b.path }), nil
}

// removeTemporary removes what a crash left of the compression of a file.
func removeTemporary(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "audit-*"+packed+temporary))
	for _, path := range paths {
		if gone := os.Remove(path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
