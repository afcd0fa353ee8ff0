// Package cliadapter is the terminal interface. It turns command lines into calls of the
// engine and prints the answers as tables for people or as FHIR JSON for programs.
//
// The query commands are made from the operation table: one command for each
// Operation.Command, a flag in kebab case for each parameter, and positional
// arguments for parameters with an Arg. No code here depends on a single operation, except for
// the columns in which five of them answer lists of codes (list_sheets.go). Lists are read and
// written by package lists.
// The fixed commands are serve, load, verify, list, stats, version
// and completion, the commands for stored resources, and those of the platform.
//
// Commands are cli.Command values of urfave/cli/v2, run by a cli.App. Package command holds what
// they share: the pass over the arguments, help, completion, suggestions, output. The commands of
// the platform are in package platform, in groups of any depth: roget datastore get. Each
// command declares whether it reads or writes, and each flag whether it writes to the disk, for
// programs that run commands on behalf of others. Platform toolkit, sections 3 and 6.3.
//
// Everything that an invocation uses is passed in: arguments, streams, the
// environment, and a Backend that opens sources and runs the server. The package
// imports no driver and has no state, so tests run commands within their process.
//
// Exit codes: 0 yes, 1 no (not a member, not subsumed, unknown code),
// 2 wrong usage, 3 failure. Commands of the platform exit with 1 on every failure except wrong
// usage. Answers go to Out; errors, progress and hints to Err.
//
// Flags may stand before or after positional arguments; "--" ends the flags. A flag
// that a command does not have, a missing value, or an argument too many is wrong
// usage, never ignored.
package cliadapter
