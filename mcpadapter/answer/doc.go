// Package answer has what all tools for assistants share: registration with schemas and
// annotations, the bound on the size of an answer, cursors, and the cleaning of text.
//
// An assistant pays for every byte of an answer, and often has few to spend. So a list ends
// where the answer would exceed its limit, and a cursor continues it. Text of servers and
// of code systems is data: it is returned as a value, without control characters, and never
// as an instruction.
package answer
