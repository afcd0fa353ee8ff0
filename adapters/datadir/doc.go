// Package datadir keeps compiled terminology in a folder, so that a program opens
// 350,000 concepts in milliseconds instead of reading their source again.
//
// The folder holds immutable pack files, one for each load run:
//
//	DIR/
//	  lock                      held by the one writer while it writes
//	  packs/0000000001.pack     indexes and documents, with a table of contents
//	  packs/0000000001.json     the sources it was compiled from
//	  packs/0000000001.seal     that it was verified, and which file it was
//	  roget.db                  the resource store, when the program keeps one here
//
// A Writer fills a temporary file and renames it into place after it is on the
// medium, so a process killed at any moment leaves the packs that were there. A later
// pack supersedes the entries of earlier ones that have the same type, url and
// version; packs that have nothing left to say are removed by the next Commit.
//
// Opening reads tables of contents only. A pack is verified as a whole, checksums and
// structure, when one of its entries is first used; a seal beside it records that, with
// what the file system knows of the file. While the file is the one of the seal, its
// entries are mapped into memory and used without being read through. A mapping stays for
// the life of the process: indexes refer to it. Dir.Verify and Dir.Patrol read all of it
// whatever the seals say, which finds a medium that does not give back what was written.
//
// A pack that is damaged, foreign or of another layout version is refused with an
// error that names it, or compiled again from its sources where these are unchanged
// and Options.Rebuild knows how.
package datadir
