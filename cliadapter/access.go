package cliadapter

// access is what running a command may change, beside each command of the tree, for
// programs that run commands on behalf of others. What is not declared counts as
// writing. Platform toolkit, section 6.3.
type access uint8

const (
	accessUndeclared access = iota
	accessRead              // changes nothing, unless an option that writes is given
	accessWrite             // may change the platform, the data folder, files or profiles
)
