-- +goose Up
-- The lock of the writer gets another name. A server of an earlier version that still runs cannot write
-- any more, since it knows nothing of what this version stores, and logs why.
ALTER TABLE writer RENAME TO turn;
-- +goose StatementBegin
CREATE FUNCTION upgraded() RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'a newer version of roget has upgraded this database, and this one no longer writes; upgrade this server'
		USING ERRCODE = '57P03'; -- as while the database starts: 503
END $$;
-- +goose StatementEnd
CREATE VIEW writer AS SELECT upgraded() AS id;

-- +goose Down
DROP VIEW writer;
DROP FUNCTION upgraded();
ALTER TABLE turn RENAME TO writer;
