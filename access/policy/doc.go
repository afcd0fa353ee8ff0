// Package policy reads the file that says which principals may do what, and decides by it.
//
// A policy is a list of rules. Every rule whose conditions a principal meets applies, and a request
// may do what one of them allows and none of them denies. The order of the rules does not matter.
package policy
