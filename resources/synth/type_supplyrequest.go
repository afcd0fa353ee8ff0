package synth

// supplyUnits are the units of supplies. All others are counted in pieces.
var supplyUnits = []struct {
	code string
	unit
}{
	{"examination-gloves", unit{"box", "{box}"}},
	{"surgical-mask", unit{"box", "{box}"}},
	{"blood-glucose-strips", unit{"pack", "{pack}"}},
	{"elastic-bandage", unit{"roll", "{roll}"}},
	{"saline-solution", unit{"L", "L"}},
	{"glucose-solution", unit{"L", "L"}},
	{"disinfectant", unit{"L", "L"}},
}

// supplyRequest writes a SupplyRequest (section 2.11). It reads the facts at (time of writing),
// status, kind (category), code (item), secondCode (reason), and the references.
func supplyRequest(d *draft) {
	authored := d.when()
	reason := d.facts.secondCode
	if reason.Code == "" {
		reason = d.draw(&supplyReason)
	}
	forPatient := reason.Code != "ward-stock"

	d.identifier("supply-request")
	d.text("status", d.settled(&supplyStatus, authored))
	if d.facts.kind != "" {
		d.concept("category", supplyCategory.find(d.facts.kind))
	} else {
		d.concept("category", d.draw(&supplyCategory))
	}
	d.text("priority", d.code(&supplyPriority))
	d.supplyItem()
	if d.percent(35) {
		d.supplyParameter()
	}
	d.supplyOccurrence(authored)
	d.moment("authoredOn", authored)
	d.refer("requester", rolePractitioner)
	d.refers("supplier", roleOrganization)
	d.concepts("reasonCode", reason)
	if forPatient && d.percent(40) {
		d.refers("reasonReference", roleCondition)
	}
	if d.percent(50) {
		d.refer("deliverFrom", roleOrganization)
	} else {
		d.refer("deliverFrom", roleLocation)
	}
	switch {
	case forPatient || d.given(rolePatient) != "":
		d.refer("deliverTo", rolePatient)
	case d.percent(70):
		d.refer("deliverTo", roleLocation)
	default:
		d.refer("deliverTo", roleOrganization)
	}
}

// supplyItem writes the item and its quantity: the referenced resource if an option sets one,
// otherwise usually a code, sometimes a device.
func (d *draft) supplyItem() {
	for _, r := range [...]role{roleMedication, roleSubstance, roleDevice} {
		if d.given(r) != "" || r == roleDevice && d.facts.code.Code == "" && d.percent(12) {
			if to := d.ref(r); to != "" {
				d.reference("itemReference", to)
				d.quantity("quantity", d.between(1, 5), 0, unit{"piece", "{piece}"})
				return
			}
		}
	}
	item := d.about("SupplyRequest.itemCodeableConcept", branchSupply)
	d.concept("itemCodeableConcept", item)
	for i := range supplyUnits {
		if supplyUnits[i].code == item.Code {
			d.quantity("quantity", d.between(1, 40), 0, supplyUnits[i].unit)
			return
		}
	}
	d.quantity("quantity", d.between(1, 200), 0, unit{"piece", "{piece}"})
}

// supplyParameter writes the member parameter, a requirement for the item.
func (d *draft) supplyParameter() {
	code := d.drawn("SupplyRequest.parameter.code", branchSupplyParameter)
	d.list("parameter")
	d.object("")
	d.concept("code", code)
	switch code.Code {
	case "supply-size":
		d.quantity("valueQuantity", d.between(2, 30), 0, unit{"cm", "cm"})
	case "supply-storage":
		low := d.between(2, 10)
		d.rangeOf("valueRange", low, low+d.between(6, 15), 0, unit{"°C", "Cel"})
	case "supply-colour":
		d.concept("valueCodeableConcept", d.drawn("SupplyRequest.parameter.valueCodeableConcept", branchColour))
	default:
		d.boolean("valueBoolean", d.percent(80))
	}
	d.ends(2)
}

// supplyOccurrence writes the time of need: within two weeks, or repeatedly.
func (d *draft) supplyOccurrence(authored moment) {
	first := authored + moment(d.between(1, 14)*oneDay)
	switch d.weighted([]int{60, 25, 15}) {
	case 0:
		d.moment("occurrenceDateTime", first)
	case 1:
		d.period("occurrencePeriod", first, first+moment(d.between(1, 14)*oneDay))
	case 2:
		d.object("occurrenceTiming")
		d.object("repeat")
		d.period("boundsPeriod", first, first+moment(d.between(30, 90)*oneDay))
		d.integer("frequency", 1)
		d.integer("period", d.between(1, 2))
		d.text("periodUnit", d.one([]string{"wk", "mo"}))
		d.ends(2)
	}
}
