// Package datadir stores compiled terminology in a folder, so that a program opens 350,000
// concepts in milliseconds instead of reading their source again.
//
// The folder contains immutable pack files, one for each load:
//
//	DIR/
//	  lock                      held by the one writer while it writes
//	  packs/0000000001.pack     indexes and documents, with a table of contents
//	  packs/0000000001.json     the sources it was compiled from
//	  packs/0000000001.seal     records that this very file was verified
//	  roget.db                  the resource store, if the program keeps it here, and files beside it
//
// A Writer fills a temporary file, syncs it and renames it into place, so a process killed at any
// moment leaves the existing packs intact. The entries of a later pack supersede earlier entries
// with the same type, url and version. The next Commit removes packs without remaining entries.
//
// Opening reads only tables of contents. When an entry of a pack is first used, checksums and
// structure of the whole pack are verified, and a seal beside it records the verification
// together with the attributes of the file. As long as the file matches the seal, its entries are
// mapped into memory and used without being read first. A mapping stays for the life of the
// process, because indexes refer to it. Dir.Verify and Dir.Scrub read everything regardless of
// seals and so detect corruption of the storage medium.
//
// A corrupted pack, a foreign file, or a pack with another layout version causes an error that
// names it, or is recompiled from its sources if they are unchanged and Options.Rebuild is set.
package datadir
