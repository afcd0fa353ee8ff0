package sqlite

import (
	"context"
	"errors"
	"net/url"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

const (
	findSums = `SELECT count(*) FROM pragma_table_info('version') WHERE name = 'body_sum'`
	// In the order of the rowids of both tables, so that a compact file is read once.
	selectSums = `SELECT v.seq, v.type, v.id, v.version_id, v.deleted, v.vals, v.vals_sum, v.body_sum, d.seq IS NULL, d.body
FROM version v LEFT JOIN document d ON d.seq = v.seq ORDER BY v.seq`
)

// maxDamaged bounds the versions that an error of checkSums names.
const maxDamaged = 20

// checkSums reads every version in a file that no process changes, and compares its checksums. A
// store that a program without checksums wrote has none to compare.
func checkSums(ctx context.Context, path string) error {
	address, err := fileAddress(path, "ro", url.Values{"immutable": {"1"}})
	if err != nil {
		return err
	}
	c, err := connect(address)
	if err != nil {
		return err
	}
	defer c.close()
	var sums sqlstore.Sums
	switch have, err := c.value(findSums); {
	case err != nil:
		return err
	case have == "0":
		return nil
	}
	mark, err := c.value(readMark, sqlstore.SumsMark)
	if err != nil {
		return err
	}
	sums.Require(mark)
	s, err := c.prepare(selectSums)
	if err != nil {
		return err
	}
	defer s.release()
	var problems []error
	for n := 1; ; n++ {
		row, err := s.step()
		if err != nil {
			return errors.Join(append(problems, err)...)
		}
		if !row {
			return errors.Join(problems...)
		}
		if err := checkRow(&sums, s); err != nil {
			if problems = append(problems, err); len(problems) == maxDamaged {
				return errors.Join(append(problems, errors.New("and perhaps more; roget verify lists them"))...)
			}
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// checkRow compares the checksums of a row of selectSums.
func checkRow(sums *sqlstore.Sums, s *statement) error {
	r := index.Record{
		Seq: index.Seq(s.int(0)), Type: s.text(1), ID: s.text(2), VersionID: s.int(3), Deleted: s.int(4) != 0,
		Values: s.view(5), Body: s.view(9),
	}
	if s.int(8) != 0 {
		return &resources.DamageError{
			Key: resources.Key{Type: r.Type, ID: r.ID}, VersionID: r.VersionID, Seq: r.Seq, Problem: "its document is missing",
		}
	}
	return errors.Join(sums.CheckDocument(&r, s.int(7)), sums.CheckValues(&r, s.int(6)))
}

// value returns the first column of the first row of a statement, "" if there is none.
func (c *conn) value(sql string, args ...string) (string, error) {
	s, err := c.prepare(sql)
	if err != nil {
		return "", err
	}
	defer s.release()
	for i, arg := range args {
		s.bindText(i+1, arg)
	}
	if row, err := s.step(); err != nil || !row {
		return "", err
	}
	return s.text(0), nil
}
