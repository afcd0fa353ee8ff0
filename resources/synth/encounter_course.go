package synth

// A course is the time line of an encounter. It is drawn first, so that an encounter that is part
// of another one can draw the course of that one too.
type course struct {
	status, class string
	stay          int // index into stays
	begun         bool
	born          day    // birth date of the patient, 0 if unknown
	start, end    moment // start 0: not begun; end 0: still going on
}

// stays are the durations of encounters by class, in minutes, with the types of Clinic that fit.
// The first row applies to all other classes.
var stays = []struct {
	class             string
	shortest, longest int
	types             []string
}{
	{"AMB", 10, 60, []string{"first-consultation", "follow-up-consultation", "health-check", "vaccination-visit", "antenatal-visit"}},
	{"EMER", 60, 600, []string{"emergency-visit"}},
	{"FLD", 30, 120, []string{"ambulance-call"}},
	{"HH", 30, 120, []string{"home-visit"}},
	{"IMP", 1_440, 20_160, []string{"planned-admission", "urgent-admission"}},
	{"ACUTE", 1_440, 14_400, []string{"urgent-admission"}},
	{"NONAC", 4_320, 43_200, []string{"planned-admission"}},
	{"OBSENC", 360, 2_160, []string{"urgent-admission", "observation-stay"}},
	{"PRENC", 20, 60, []string{"visit-before-admission"}},
	{"SS", 240, 1_200, []string{"day-surgery"}},
	{"VR", 10, 40, []string{"telephone-consultation", "online-consultation"}},
}

// inHospital reports whether patients are admitted in encounters of a class.
func inHospital(class string) bool {
	switch class {
	case "IMP", "ACUTE", "NONAC", "OBSENC", "SS":
		return true
	}
	return false
}

// course draws the course of an encounter. It reads the facts at, until, status and kind.
func (d *draft) course() course {
	c := course{status: d.status(&encounterStatus), class: d.kind("class", &encounterClass), start: d.facts.at, end: d.facts.until}
	patient := d.life()
	c.born = patient.born
	if d.facts.status == "" {
		d.suit(&c, patient.died != 0)
	}
	for n := range stays {
		if stays[n].class == c.class {
			c.stay = n
		}
	}
	shortest, most := stays[c.stay].shortest, stays[c.stay].longest
	switch {
	case c.status == "planned" || c.status == "cancelled":
		return c
	case c.goesOn():
		if c.start == 0 {
			c.start = asOf - moment(d.between(150, max(most, 180))*minute)
		}
		c.end = 0
	default:
		c.start = d.began()
		if c.end == 0 {
			c.end = min(c.start+moment(d.between(shortest, most)*minute), asOf-minute)
		}
	}
	c.begun = true
	return c
}

// began returns the start of an encounter: the one set by the story, or any time.
func (d *draft) began() moment {
	if d.facts.at != 0 {
		return d.facts.at
	}
	return d.whenever()
}

// suit makes a drawn status and class consistent: triaged patients are in the emergency
// department, patients on leave are in hospital, and dead patients are in neither.
func (d *draft) suit(c *course, died bool) {
	chosen := d.facts.kind != "" || d.g.texts["class"] != ""
	switch {
	case died && c.goesOn():
		c.status = "finished"
	case c.status == "triaged" && c.class != "EMER" && chosen:
		c.status = "arrived"
	case c.status == "triaged":
		c.class = "EMER"
	case c.status == "onleave" && !inHospital(c.class) && chosen:
		c.status = "in-progress"
	case c.status == "onleave" && !inHospital(c.class):
		c.class = "IMP"
	}
}

// goesOn reports whether the encounter is still going on.
func (c course) goesOn() bool {
	switch c.status {
	case "arrived", "triaged", "in-progress", "onleave":
		return true
	}
	return false
}

// within returns the course of an encounter that is part of another one and lies in the middle of
// it.
func (c course) within() course {
	if !c.begun {
		return c
	}
	end := c.end
	if end == 0 {
		end = asOf
	}
	quarter := (end - c.start) / (4 * minute) * minute
	c.start += quarter
	if c.end != 0 {
		c.end -= quarter
	}
	return c
}

// until returns the end of the course, or asOf if it is still going on.
func (c course) until() moment {
	if c.end != 0 {
		return c.end
	}
	return asOf
}

// statusHistory writes the earlier statuses of an encounter.
func (d *draft) statusHistory(c course) {
	arrived := c.start
	if !c.begun {
		arrived = d.began()
	}
	planned := arrived - moment(d.between(1, 14))*oneDay
	if planned.day() < c.born {
		return
	}
	d.list("statusHistory")
	d.past("planned", planned, arrived)
	step := (c.until() - c.start) / 20
	at := c.start
	if c.begun && c.status != "arrived" {
		d.past("arrived", at, at+step)
		at += step
	}
	if c.begun && c.class == "EMER" && c.status != "arrived" && c.status != "triaged" {
		d.past("triaged", at, at+step)
		at += step
	}
	switch c.status {
	case "finished":
		d.past("in-progress", at, c.end)
	case "onleave":
		d.past("in-progress", at, at+10*step)
	}
	d.end()
}

// past writes an entry of statusHistory.
func (d *draft) past(status string, start, end moment) {
	d.object("")
	d.text("status", status)
	d.period("period", start, end)
	d.end()
}

// classHistory writes the admission of a patient from the emergency department.
func (d *draft) classHistory(c course) {
	turn := c.start + (c.until()-c.start)/10
	d.list("classHistory")
	d.object("")
	d.coding("class", encounterClass.find("EMER"))
	d.period("period", c.start, turn)
	d.end()
	d.object("")
	d.coding("class", encounterClass.find(c.class))
	d.period("period", turn, c.end)
	d.ends(2)
}

// length writes the duration of an encounter in minutes, hours or days.
func (d *draft) length(c course) {
	minutes := int(c.end-c.start) / minute
	switch {
	case minutes >= 2*24*60:
		d.quantity("length", minutes*10/(24*60), 1, unit{"days", "d"})
	case minutes >= 2*60:
		d.quantity("length", minutes*10/60, 1, unit{"hours", "h"})
	default:
		d.quantity("length", minutes, 0, unit{"minutes", "min"})
	}
}
