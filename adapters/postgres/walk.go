package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

const (
	walkSizes = `SELECT v.seq, coalesce(octet_length(d.body), 0)::bigint + coalesce(octet_length(v.vals), 0) + coalesce(octet_length(d.entries), 0)
FROM version v LEFT JOIN document d ON d.seq = v.seq WHERE v.seq > $1 ORDER BY v.seq LIMIT $2`
	walkVersions = `SELECT v.seq, v.type, v.id, v.version_id, v.until, v.deleted, v.vals, v.vals_sum,
	d.seq IS NULL, d.entries, d.body, v.body_sum, coalesce(p.seq, 0), coalesce(n.seq, 0)
FROM version v LEFT JOIN document d ON d.seq = v.seq
LEFT JOIN version p ON p.type = v.type AND p.id = v.id AND p.version_id = v.version_id - 1
LEFT JOIN version n ON n.type = v.type AND n.id = v.id AND n.version_id = v.version_id + 1
WHERE v.seq = ANY($1) ORDER BY v.seq`
	walkMissing = `SELECT u.seq FROM unnest($1::bytea[], $2::bigint[]) AS u (entry, seq)
WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.entry = u.entry AND e.seq = u.seq)`
)

// walkBytes is the size of the versions that Walk reads with one statement.
const walkBytes = 4 << 20

// Walk calls fn for versions after a Seq.
func (r *reader) Walk(ctx context.Context, after index.Seq, limit int, fn func(*resources.StoredVersion) (bool, error)) error {
	var seqs, sizes []int64
	err := r.query(ctx, func(rows pgx.Rows) error {
		var seq, size int64
		err := rows.Scan(&seq, &size)
		seqs, sizes = append(seqs, seq), append(sizes, size)
		return err
	}, walkSizes, int64(after), limit)
	if err != nil {
		return err
	}
	for len(seqs) > 0 {
		n, size := 1, sizes[0]
		for ; n < len(seqs) && size+sizes[n] <= walkBytes; n++ {
			size += sizes[n]
		}
		versions, err := r.walk(ctx, seqs[:n])
		if err != nil {
			return err
		}
		for _, v := range versions {
			if more, err := fn(v); err != nil || !more {
				return err
			}
		}
		seqs, sizes = seqs[n:], sizes[n:]
	}
	return nil
}

// walk reads some versions and looks for their entries.
func (r *reader) walk(ctx context.Context, seqs []int64) (versions []*resources.StoredVersion, err error) {
	err = r.query(ctx, func(rows pgx.Rows) error {
		v := new(resources.StoredVersion)
		var (
			deleted       int16
			values, whole pgtype.Int8
		)
		err := rows.Scan((*int64)(&v.Seq), &v.Type, &v.ID, &v.VersionID, (*int64)(&v.Until), &deleted, &v.Values, &values,
			&v.NoDocument, &v.Packed, &v.Body, &whole, (*int64)(&v.Former), (*int64)(&v.Next))
		v.Deleted, v.ValuesSum, v.DocumentSum, v.LastUpdated = deleted != 0, values.Int64, whole.Int64, v.Seq.Time()
		versions = append(versions, v)
		return err
	}, walkVersions, seqs)
	if err != nil {
		return nil, err
	}
	var (
		entries [][]byte
		of      []int64
		at      = make(map[int64]*resources.StoredVersion, len(versions))
	)
	for _, v := range versions {
		at[int64(v.Seq)] = v
		unpacked, err := sqlstore.Unpack(v.Packed)
		if err != nil {
			continue // the caller unpacks them too
		}
		for _, e := range unpacked {
			entries, of = append(entries, e), append(of, int64(v.Seq))
		}
	}
	if len(entries) == 0 {
		return versions, nil
	}
	return versions, r.query(ctx, func(rows pgx.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		if v := at[seq]; v != nil {
			v.MissingEntries++
		}
		return err
	}, walkMissing, entries, of)
}

// FillSums sets the checksums that versions lack.
func (w *writer) FillSums(_ context.Context, sums []sqlstore.Summed) error {
	n := len(sums)
	seqs, values, documents := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, v := range sums {
		seqs[i], values[i], documents[i] = int64(v.Seq), v.Values, v.Document
	}
	w.enqueue(fillSums, values, documents, seqs)
	return nil
}

// Inspect finds nothing: the files belong to the server, and pg_amcheck checks them.
func (d *database) Inspect(context.Context, resources.Structure) ([]string, error) { return nil, nil }
