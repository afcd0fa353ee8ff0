package sqlite

import (
	"context"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources"
)

const (
	// maxProblems bounds what Inspect returns.
	maxProblems = 20

	selectTables = `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`
)

// Inspect runs SQLite's checks of every page and record of the file: integrity_check, which also
// compares the indexes with the tables, or quick_check, which does not, table by table. A check reads
// one state of the file and is in nobody's way, but the write-ahead log cannot be emptied meanwhile.
// It has a connection of its own, because it would drive everything else out of the cache.
func (d *database) Inspect(ctx context.Context, how resources.Structure) (problems []string, err error) {
	c, err := d.connect(queryOnly, cacheSize(min(extraCache, d.readerCache)))
	if err != nil {
		return nil, err
	}
	defer c.close()
	defer c.endWith(ctx)()
	if how == resources.WholeStructure {
		return c.findings(ctx, "integrity_check", strconv.Itoa(maxProblems), nil)
	}
	tables, err := c.column(selectTables)
	for _, table := range tables {
		if err != nil || len(problems) >= maxProblems {
			break
		}
		problems, err = c.findings(ctx, "quick_check", `'`+strings.ReplaceAll(table, `'`, `''`)+`'`, problems)
	}
	return problems, err
}

// findings runs a check and adds what it finds.
func (c *conn) findings(ctx context.Context, pragma, argument string, problems []string) ([]string, error) {
	found, err := c.column("PRAGMA " + pragma + "(" + argument + ")")
	if ctx.Err() != nil {
		return problems, ctx.Err()
	}
	for _, text := range found {
		if text != "ok" {
			problems = append(problems, text)
		}
	}
	return problems, err
}

// column returns the first column of the rows of a statement, also of those before an error.
func (c *conn) column(sql string) (texts []string, err error) {
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer s.release()
	for {
		if row, err := s.step(); err != nil || !row {
			return texts, err
		}
		texts = append(texts, s.text(0))
	}
}
