-- +goose Up
-- The entries of versions after this one are not in the table entry (adapters/sqlite/recent.go).
INSERT INTO mark (name, value) SELECT 'entries', CAST(coalesce(max(seq), 0) AS text) FROM version;

-- +goose Down
DELETE FROM mark WHERE name IN ('entries', 'index'); -- the index is made anew
