-- +goose Up
-- Every version of every resource. The body is the last column, so that reading the other
-- columns of a large document reads only one page.
CREATE TABLE resource_version (
	type         text    NOT NULL,
	id           text    NOT NULL,
	version_id   integer NOT NULL,
	last_updated integer NOT NULL, -- milliseconds since 1970, UTC
	deleted      integer NOT NULL, -- 0 or 1
	body         blob,             -- the document as stored; null for a deletion
	PRIMARY KEY (type, id, version_id)
);
-- The current version.
CREATE TABLE resource (
	type         text    NOT NULL,
	id           text    NOT NULL,
	version_id   integer NOT NULL,
	last_updated integer NOT NULL,
	deleted      integer NOT NULL,
	PRIMARY KEY (type, id)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE resource;
DROP TABLE resource_version;
