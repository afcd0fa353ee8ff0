-- +goose Up
-- Every version of every resource, with the data that searches need. seq is the time of the
-- version in milliseconds since 1970, times 2^20, plus a counter.
CREATE TABLE version (
	seq        bigint   PRIMARY KEY,
	type       text     COLLATE "C" NOT NULL,
	id         text     COLLATE "C" NOT NULL,
	version_id bigint   NOT NULL,
	until      bigint   NOT NULL, -- seq of the next version; 2^63-1 for the current one
	deleted    smallint NOT NULL, -- 0 or 1
	vals       bytea              -- values of search parameters
);
-- The document of a version is in a table of its own, so that scanning values reads few pages.
CREATE TABLE document (
	seq     bigint PRIMARY KEY,
	entries bytea, -- its rows of the table entry, packed
	body    bytea  -- the document as stored; null for a deletion
);
INSERT INTO version (seq, type, id, version_id, until, deleted)
SELECT seq, type, id, version_id,
	coalesce(lead(seq) OVER (PARTITION BY type, id ORDER BY version_id), 9223372036854775807), deleted
FROM (
	SELECT type, id, version_id, deleted, (last_updated << 20)
		+ row_number() OVER (PARTITION BY last_updated ORDER BY version_id, type, id) AS seq
	FROM resource_version
) AS numbered
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
	entry bytea  NOT NULL,
	seq   bigint NOT NULL,
	PRIMARY KEY (entry, seq)
);
-- Superseded versions that still have entries.
CREATE TABLE superseded (
	until bigint NOT NULL,
	seq   bigint NOT NULL,
	PRIMARY KEY (until, seq)
);
-- Named values about the store.
CREATE TABLE mark (
	name  text COLLATE "C" PRIMARY KEY,
	value text NOT NULL
);
-- The lock of the writer: whoever locks the row may write.
CREATE TABLE writer (
	id smallint PRIMARY KEY
);
INSERT INTO writer (id) VALUES (1);

-- +goose Down
CREATE TABLE resource_version (
	type         text     COLLATE "C" NOT NULL,
	id           text     COLLATE "C" NOT NULL,
	version_id   bigint   NOT NULL,
	last_updated bigint   NOT NULL,
	deleted      smallint NOT NULL,
	body         bytea,
	PRIMARY KEY (type, id, version_id)
);
CREATE TABLE resource (
	type         text     COLLATE "C" NOT NULL,
	id           text     COLLATE "C" NOT NULL,
	version_id   bigint   NOT NULL,
	last_updated bigint   NOT NULL,
	deleted      smallint NOT NULL,
	PRIMARY KEY (type, id)
);
INSERT INTO resource_version
SELECT v.type, v.id, v.version_id, v.seq >> 20, v.deleted, d.body FROM version v JOIN document d ON d.seq = v.seq;
INSERT INTO resource
SELECT type, id, version_id, seq >> 20, deleted FROM version WHERE until = 9223372036854775807;
DROP TABLE writer;
DROP TABLE mark;
DROP TABLE superseded;
DROP TABLE entry;
DROP TABLE document;
DROP TABLE version;
