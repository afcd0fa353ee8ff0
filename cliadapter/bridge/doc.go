// Package bridge offers the commands of a platform as one tool for an assistant: a list of
// arguments goes in; exit code, output and errors come out. It runs the program itself and
// sends data nowhere else. Platform toolkit, section 6.3.
//
// Every line of arguments is read by the parser of the program (command.Tree.Read), so that
// the bridge and the program cannot understand it differently. What a line may do follows
// from the access that each command declares (classify.go). Lines that are refused start no
// process (bridge.go).
package bridge
