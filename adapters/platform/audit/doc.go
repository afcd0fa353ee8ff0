// Package audit evaluates the security of a platform: 14 checks with 72 controls, by GET requests only.
// Platform toolkit, section 5.
//
// Connect returns a Scanner, whose requests all pass through a Guard. Scanner.Run runs the checks in
// their order. A check reads (in read.go and the file of the check) and hands what it read to a reducer,
// a pure function that makes findings and outcomes of controls from it. Package runfolder stores results
// on disk as they arrive, and package report renders them.
package audit
