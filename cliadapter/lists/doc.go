// Package lists reads lists of codes (one on each line, in a column of a table, or in a member of
// objects of JSON), passes each line to a function that answers it, and writes the answers in the
// order of the lines.
//
// A Source is a file or a stream, decompressed. A Reader splits it into records. A Layout says
// where in a record the code is, and its Picker takes it out. Run answers records in parallel, in
// batches that keep their order, and with memory that does not depend on their number. A Form
// writes answers.
//
// A record that cannot be read is returned with the reason, and reading goes on behind it.
package lists
