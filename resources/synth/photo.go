package synth

// Pictures: a point of grey, and a head with shoulders.
const (
	pointPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOo6pkJAAMjAaBImqDNAAAAAElFTkSuQmCC"
	headSVG  = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSIzIiByPSIyIi8+PHBhdGggZD0iTTAgOGE0IDMgMCAwIDEgOCAweiIvPjwvc3ZnPg=="
)

// photo writes a list of one Attachment with a picture.
func (w *writer) photo(name string, drawn bool) {
	w.list(name)
	w.picture("", drawn)
	w.end()
}

// picture writes an Attachment with a picture: a drawing or a point.
func (w *writer) picture(name string, drawn bool) {
	w.object(name)
	if drawn {
		w.text("contentType", "image/svg+xml")
		w.text("data", headSVG)
	} else {
		w.text("contentType", "image/png")
		w.text("data", pointPNG)
	}
	w.end()
}
