// Package uiadapter is the page: it shows terminologies and resources to people in a browser.
//
// Pages are rendered on the server and work without scripts where they only find and show. All of
// them are one segment below /ui, and their links are relative, so that a proxy may put a path in
// front. Scripts make them quicker: htmx replaces parts of a page with fragments that the same
// handlers render.
//
// A room of the page is a Go file with its handlers, a template, texts and perhaps a style sheet and
// a script of the same name: find.go, templates/find.html, texts/find.json, assets/find.css,
// assets/find.js. The table of rooms is in rooms.go.
package uiadapter
