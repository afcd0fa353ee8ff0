// Package mcpadapter is the server of tools for assistants: it speaks the Model Context
// Protocol over standard input and output, or over streamable HTTP.
//
// What it offers are toolsets: package terminology below it works on code systems, package
// platformtools on a platform. The server itself bounds what comes in and goes out: the size
// of messages, the number of calls at once and of sessions, and who may call over HTTP.
package mcpadapter
