-- +goose Up
-- Checksums (see Sums), null for versions that an earlier program wrote until they are filled in.
-- That of the document is here too, because filling it in must not write the document again.
ALTER TABLE version ADD COLUMN vals_sum integer;
ALTER TABLE version ADD COLUMN body_sum integer;
INSERT INTO mark (name, value) SELECT 'sums', 'complete' WHERE NOT EXISTS (SELECT 1 FROM version);

-- +goose Down
DELETE FROM mark WHERE name = 'sums';
ALTER TABLE version DROP COLUMN body_sum;
ALTER TABLE version DROP COLUMN vals_sum;
