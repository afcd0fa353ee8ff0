package synth

// A city is a city of a fictional country in the middle of the Atlantic Ocean.
type city struct {
	name, state, district string
	postal                int // first three digits of the postal code
	lat, long             int // centre, in 1/10,000 of a degree
}

var cities = [...]city{
	{"Eastmoor", "Northmark", "Moorland", 101, 478_120, -312_240},
	{"Hollowbrook", "Northmark", "Moorland", 104, 476_900, -310_310},
	{"Fernhaven", "Northmark", "Upper Fern", 112, 481_050, -315_870},
	{"Crowsgate", "Northmark", "Upper Fern", 117, 483_330, -313_480},
	{"Larkspur Bay", "Saltcoast", "Bay", 203, 465_710, -330_020},
	{"Greyharbour", "Saltcoast", "Bay", 207, 463_540, -331_660},
	{"Pebblewick", "Saltcoast", "Sands", 219, 460_180, -327_930},
	{"Tidewell", "Saltcoast", "Sands", 226, 458_620, -329_150},
	{"Ambermere", "Lakelands", "Mere", 305, 470_440, -301_280},
	{"Stillwater Cross", "Lakelands", "Mere", 309, 472_260, -299_740},
	{"Reedham Lock", "Lakelands", "Canals", 318, 468_900, -296_390},
	{"Otterford", "Lakelands", "Canals", 324, 467_170, -298_610},
	{"Thornfield Heath", "Weald", "High Weald", 402, 452_330, -305_820},
	{"Oakenshaw", "Weald", "High Weald", 408, 450_150, -307_470},
	{"Maplecombe", "Weald", "Low Weald", 415, 447_980, -303_050},
	{"Barrowdene", "Weald", "Low Weald", 421, 446_210, -309_360},
	{"Highcairn", "Stonereach", "Cairns", 506, 490_420, -322_730},
	{"Slatebridge", "Stonereach", "Cairns", 513, 488_770, -324_910},
	{"Ironquay", "Stonereach", "Quays", 520, 486_050, -320_180},
	{"Frosthollow", "Stonereach", "Quays", 528, 493_640, -318_560},
	{"Sunmeadow", "Goldenplain", "Meadows", 601, 440_530, -318_900},
	{"Wheatley Rise", "Goldenplain", "Meadows", 610, 438_110, -316_240},
	{"Millersfield", "Goldenplain", "Mills", 617, 436_890, -321_330},
	{"Harvest Down", "Goldenplain", "Mills", 625, 434_270, -319_710},
}

// streets are street names without their ending (streetKinds).
var (
	streets     = []string{"Acorn", "Bellflower", "Candlewick", "Dovecote", "Elderberry", "Foxglove", "Goldfinch", "Hawthorn", "Ivy", "Juniper", "Kingfisher", "Lantern", "Meadow", "Nightingale", "Orchard", "Primrose", "Quarry", "Rosemary", "Sycamore", "Thistle", "Willow", "Yarrow"}
	streetKinds = []string{" Street", " Lane", " Road", " Avenue", " Close", " Walk"}
)

// A address is an address in a city.
type address struct {
	*city
	number, flat int // flat is 0 for a whole house
	street, kind string
	postalSuffix int // last two digits of the postal code
}

func (s *stream) place() address {
	p := address{city: &cities[s.below(len(cities))], number: s.between(1, 240), street: s.one(streets), kind: s.one(streetKinds), postalSuffix: s.below(100)}
	if s.percent(25) {
		p.flat = s.between(1, 40)
	}
	return p
}

// site returns the place of resource n of a type that draws its place first.
func (g *Generator) site(typ string, n uint64) address {
	s := newStream(g.seed, hash(typ), n)
	return s.place()
}

// address writes an Address with a use (home, work, temp, old, billing) and a type (postal,
// physical, both). A nonzero end ends its period.
func (w *writer) address(name, use, typ string, p address, end day) {
	w.object(name)
	w.text("use", use)
	w.text("type", typ)
	w.list("line")
	w.member("")
	w.buf = append(appendInt(append(w.buf, '"'), p.number), ' ')
	w.buf = append(append(append(w.buf, p.street...), p.kind...), '"')
	if p.flat > 0 {
		w.member("")
		w.buf = append(appendInt(append(w.buf, `"Flat `...), p.flat), '"')
	}
	w.end()
	w.text("city", p.name)
	w.text("district", p.district)
	w.text("state", p.state)
	w.member("postalCode")
	w.buf = append(appendDigits(append(w.buf, '"'), p.postal*100+p.postalSuffix, 5), '"')
	w.text("country", "ZZ") // ISO 3166 reserves ZZ for private use
	if end != 0 {
		w.days("period", 0, end)
	}
	w.end()
}
