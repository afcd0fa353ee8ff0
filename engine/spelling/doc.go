// Package spelling finds what a person meant by words or a code that a text search did not find:
// with other letters, without one of the words, or with other punctuation.
//
// It knows nothing of code systems. A Finder asks the search of its owner for words that begin like
// the given ones, and keeps what is spelled nearly so.
package spelling
