package synth

// makers are device manufacturers. Their company numbers follow from their index.
var makers = []string{"Larkspur Instruments", "Highcairn Medical", "Tidewell Devices", "Ironquay Health", "Sunmeadow Technik", "Otterford Implants", "Amber & Reed", "Slatebridge Systems"}

// propertyUnits are the units of measured device properties, with the largest value.
var propertyUnits = []struct {
	code string
	unit
	max int
}{
	{"battery-life", unit{"h", "h"}, 900},
	{"device-mass", unit{"g", "g"}, 5000},
	{"device-length", unit{"cm", "cm"}, 80},
	{"operating-voltage", unit{"V", "V"}, 24},
}

// device writes a Device (section 2.8). It reads the facts code (type), at (delivery to the
// patient), status, partOf, and the references to patient, owner and location.
func device(d *draft) {
	maker, model := d.below(len(makers)), d.between(100, 999)
	typ := d.about("Device.type", branchDevice)
	given := d.when()
	made := given.day() - day(d.between(30, 2*365))
	u := udi{
		company: 1000 + 7*maker, article: model*10 + d.below(10), made: made, expires: made + day(d.between(2*365, 10*365)),
		lot: d.below(100_000), serial: d.below(100_000_000),
	}
	status := d.status(&deviceStatus)

	d.list("identifier")
	d.typedIdentifier("official", "SNO", "device")
	d.end()
	d.refer("definition", roleDeviceDefinition)
	d.udiCarrier(&u)
	d.text("status", status)
	switch {
	case status == "inactive":
		d.concepts("statusReason", d.draw(&deviceOffReason))
	case status == "active" && d.percent(40):
		d.concepts("statusReason", d.draw(&deviceOnReason))
	}
	if d.percent(8) {
		d.member("distinctIdentifier")
		d.buf = append(appendDigits(append(d.buf, `"D`...), d.below(1_000_000), 6), '"')
	}
	d.text("manufacturer", makers[maker])
	d.moment("manufactureDate", u.made.at(0, 0))
	d.moment("expirationDate", u.expires.at(0, 0))
	d.member("lotNumber")
	d.buf = append(u.appendLot(append(d.buf, '"')), '"')
	d.member("serialNumber")
	d.buf = append(u.appendSerial(append(d.buf, '"')), '"')
	d.deviceNames(typ.words(), makers[maker], model)
	d.model("modelNumber", model)
	d.member("partNumber")
	d.buf = append(appendDigits(append(d.buf, `"P-`...), u.article, 5), '"')
	d.concept("type", typ)
	d.deviceDetails()
	d.refer("patient", rolePatient)
	d.refer("owner", roleOrganization)
	d.list("contact")
	d.phone("phone", "work")
	d.end()
	d.refer("location", roleLocation)
	if d.percent(25) {
		d.join("url", "https://devices.example.org/", d.facts.id)
	}
	if d.percent(15) {
		d.notes("note", given, d.one([]string{"Checked on delivery.", "Instructed in its use.", "Label is worn."}))
	}
	if d.percent(40) {
		d.concepts("safety", d.drawn("Device.safety", branchDeviceSafety))
	}
	d.reference("parent", d.parentDevice())
}

// parentDevice returns the device that a device is part of, or "" for most devices.
func (d *draft) parentDevice() string {
	if d.facts.partOf != "" || d.inStory || d.number == 0 || !d.percent(5) {
		return d.facts.partOf
	}
	return d.other("Device", d.number-1-uint64(d.below(int(min(d.number, 20)))))
}

// model writes a model name such as M-417.
func (w *writer) model(name string, model int) {
	w.member(name)
	w.buf = append(appendInt(append(w.buf, `"M-`...), model), '"')
}

// deviceNames writes one or two names of a device.
func (d *draft) deviceNames(typ, maker string, model int) {
	d.list("deviceName")
	first := d.code(&deviceNameType)
	second := d.code(&deviceNameType)
	d.deviceName(first, typ, maker, model)
	if second != first {
		d.deviceName(second, typ, maker, model)
	}
	d.end()
}

func (d *draft) deviceName(kind, typ, maker string, model int) {
	d.object("")
	switch kind {
	case "user-friendly-name":
		d.text("name", typ)
	case "patient-reported-name":
		d.join("name", "My ", typ)
	case "model-name":
		d.model("name", model)
	case "other":
		d.join("name", "Asset ", d.facts.id)
	default: // the manufacturer's name
		d.join("name", maker, " ", typ)
	}
	d.text("type", kind)
	d.end()
}

// deviceDetails writes specialization, version and property.
func (d *draft) deviceDetails() {
	if d.percent(30) {
		d.list("specialization")
		d.object("")
		d.concept("systemType", d.drawn("Device.specialization.systemType", branchDeviceCapability))
		d.version("version")
		d.ends(2)
	}
	if d.percent(40) {
		d.list("version")
		d.object("")
		d.concept("type", d.drawn("Device.version.type", branchDeviceVersion))
		d.version("value")
		d.ends(2)
	}
	if !d.percent(40) {
		return
	}
	typ := d.drawn("Device.property.type", branchDeviceProperty)
	d.list("property")
	d.object("")
	d.concept("type", typ)
	measured := false
	for i := range propertyUnits {
		if p := &propertyUnits[i]; p.code == typ.Code {
			measured = true
			d.list("valueQuantity")
			d.quantity("", d.between(1, p.max), 0, p.unit)
			d.end()
		}
	}
	if !measured {
		d.concepts("valueCode", d.drawn("Device.property.valueCode", branchMaterial))
	}
	d.ends(2)
}

// version writes a version such as 2.11.
func (d *draft) version(name string) {
	d.member(name)
	d.buf = appendInt(append(d.buf, '"'), d.between(1, 6))
	d.buf = append(appendInt(append(d.buf, '.'), d.below(20)), '"')
}
