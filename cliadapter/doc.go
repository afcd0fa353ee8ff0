// Package cliadapter is the terminal: it turns command lines into calls of the
// engine and prints the answers as tables for people or as FHIR JSON for programs.
//
// Query commands are read from the operation table: one command for each
// Operation.Command, a flag for each parameter in kebab-case, and positional
// arguments where a parameter has an Arg. Nothing here knows an operation by name.
// The fixed commands are serve, load, verify, list, stats, version
// and completion, those about stored resources, and those of the platform.
//
// Commands are cli.Command values of urfave/cli/v2, run by a cli.App. Package command holds what
// they share: the pass over the arguments, help, completion, suggestions, output. The commands of
// the platform are in package platform, in groups of any depth: roget datastore get. Beside each
// command stands whether it reads or writes, and beside a flag that it writes to the disk, for
// programs that run commands on behalf of others. Platform toolkit, sections 3 and 6.3.
//
// Everything an invocation touches comes in from outside: arguments, streams, the
// environment, and a Backend that opens sources and runs the server. The package
// names no driver and keeps no state, so that a test runs commands in process.
//
// Exit codes: 0 yes, 1 a clean no (not a member, not subsumed, unknown code),
// 2 wrong usage, 3 failure. Commands of the platform end with 1 on every failure but wrong
// usage. Answers go to Out; errors, progress and hints to Err.
//
// Flags may stand before or after positional arguments; "--" ends the flags. A flag
// that a command does not have, a missing value, or an argument too many is wrong
// usage, never ignored.
package cliadapter
