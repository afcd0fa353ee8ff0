-- +goose Up
-- Every version of every resource. Ids sort by bytes in every locale.
CREATE TABLE resource_version (
	type         text     COLLATE "C" NOT NULL,
	id           text     COLLATE "C" NOT NULL,
	version_id   bigint   NOT NULL,
	last_updated bigint   NOT NULL, -- milliseconds since 1970, UTC
	deleted      smallint NOT NULL, -- 0 or 1
	body         bytea,             -- the document as stored; null for a deletion
	PRIMARY KEY (type, id, version_id)
);
-- The current version.
CREATE TABLE resource (
	type         text     COLLATE "C" NOT NULL,
	id           text     COLLATE "C" NOT NULL,
	version_id   bigint   NOT NULL,
	last_updated bigint   NOT NULL,
	deleted      smallint NOT NULL,
	PRIMARY KEY (type, id)
);

-- +goose Down
DROP TABLE resource;
DROP TABLE resource_version;
