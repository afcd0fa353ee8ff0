-- +goose Up
-- Named lists of records that are not resources, such as the changes of closure tables.
CREATE TABLE journal (
	name   text COLLATE "C" NOT NULL,
	number bigint NOT NULL,
	body   bytea NOT NULL,
	PRIMARY KEY (name, number)
);

-- +goose Down
DROP TABLE journal;
