-- +goose Up
-- Every version of every resource, with the data that searches need. seq is the time of the
-- version in milliseconds since 1970, times 2^20, plus a counter.
CREATE TABLE version (
	seq        integer PRIMARY KEY,
	type       text    NOT NULL,
	id         text    NOT NULL,
	version_id integer NOT NULL,
	until      integer NOT NULL, -- seq of the next version; 2^63-1 for the current one
	deleted    integer NOT NULL, -- 0 or 1
	vals       blob              -- values of search parameters
);
-- The document of a version is in a table of its own, so that scanning values reads few pages.
-- The body is the last column, so that entries can be read without it.
CREATE TABLE document (
	seq     integer PRIMARY KEY,
	entries blob, -- its rows of the table entry, packed
	body    blob  -- the document as stored; null for a deletion
);
INSERT INTO version (seq, type, id, version_id, until, deleted)
SELECT seq, type, id, version_id,
	coalesce(lead(seq) OVER (PARTITION BY type, id ORDER BY version_id), 9223372036854775807), deleted
FROM (
	SELECT type, id, version_id, deleted, (last_updated << 20)
		+ row_number() OVER (PARTITION BY last_updated ORDER BY version_id, type, id) AS seq
	FROM resource_version
)
ORDER BY seq;
CREATE UNIQUE INDEX version_key ON version (type, id, version_id);
CREATE INDEX version_type ON version (type, seq);
INSERT INTO document (seq, body)
SELECT v.seq, r.body
FROM version v JOIN resource_version r ON r.type = v.type AND r.id = v.id AND r.version_id = v.version_id
ORDER BY v.seq;
DROP TABLE resource;
DROP TABLE resource_version;
-- The index that searches scan.
CREATE TABLE entry (
	entry blob    NOT NULL,
	seq   integer NOT NULL,
	PRIMARY KEY (entry, seq)
) WITHOUT ROWID;
-- Superseded versions that still have entries.
CREATE TABLE superseded (
	until integer NOT NULL,
	seq   integer NOT NULL,
	PRIMARY KEY (until, seq)
) WITHOUT ROWID;
-- Named values about the store.
CREATE TABLE mark (
	name  text PRIMARY KEY,
	value text NOT NULL
) WITHOUT ROWID;

-- +goose Down
CREATE TABLE resource_version (
	type         text    NOT NULL,
	id           text    NOT NULL,
	version_id   integer NOT NULL,
	last_updated integer NOT NULL,
	deleted      integer NOT NULL,
	body         blob,
	PRIMARY KEY (type, id, version_id)
);
CREATE TABLE resource (
	type         text    NOT NULL,
	id           text    NOT NULL,
	version_id   integer NOT NULL,
	last_updated integer NOT NULL,
	deleted      integer NOT NULL,
	PRIMARY KEY (type, id)
) WITHOUT ROWID;
INSERT INTO resource_version
SELECT v.type, v.id, v.version_id, v.seq >> 20, v.deleted, d.body FROM version v JOIN document d ON d.seq = v.seq;
INSERT INTO resource
SELECT type, id, version_id, seq >> 20, deleted FROM version WHERE until = 9223372036854775807;
DROP TABLE mark;
DROP TABLE superseded;
DROP TABLE entry;
DROP TABLE document;
DROP TABLE version;
