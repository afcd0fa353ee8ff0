package uiadapter

// serverRoom is the page about the server: what is loaded, and how it runs.
func serverRoom() *room {
	return &room{name: "server", link: "server", routes: map[string]func(*Page) error{
		"GET /ui/server": (*Page).server,
	}}
}

func (p *Page) server() error {
	var facts Facts
	if p.h.Facts != nil {
		facts = p.h.Facts(p.Context())
	}
	return p.Show("server.html", "", p.T("server.title"), facts)
}
