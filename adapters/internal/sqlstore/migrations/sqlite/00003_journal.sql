-- +goose Up
-- Named lists of records that are not resources, such as the changes of closure tables.
CREATE TABLE journal (
	name   text NOT NULL,
	number integer NOT NULL,
	body   blob NOT NULL,
	PRIMARY KEY (name, number)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE journal;
