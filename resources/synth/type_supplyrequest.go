package synth

// supplyUnits are the units in which supplies are asked for; all others are counted.
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

// supplyRequest writes a SupplyRequest (section 2.11). Of its facts it reads at: when it was
// written, status, kind: the category, code: the item, more: the reason, and the references.
func supplyRequest(d *draft) {
	authored := d.when()
	reason := d.facts.more
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

// supplyItem writes what is asked for, and how much of it: what a reference is given for,
// else mostly a code, sometimes a device.
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

// supplyParameter writes the member parameter: something that is asked of the item.
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

// supplyOccurrence writes when the supply is needed: within two weeks, or again and again.
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
