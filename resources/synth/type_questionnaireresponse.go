package synth

import "slices"

// questionnaireResponse writes a QuestionnaireResponse (section 2.19). It reads the facts kind
// (template), at, status and born, and the references to patient, encounter, author, source,
// questionnaire, service request and observation.
func questionnaireResponse(d *draft) {
	kind := d.facts.kind
	if kind == "" {
		if kind = d.g.texts["questionnaire_template"]; kind == "" {
			kind = d.one(questionnaireTemplates)
		}
	}
	t, at, status := questionnaireTemplateOf(kind), d.quarter(2), d.status(&responseStatus)
	d.oneIdentifier("identifier", "response")
	if to := d.ref(roleCarePlan); to != "" {
		d.references("basedOn", to)
	} else if d.percent(30) {
		d.refers("basedOn", roleServiceRequest)
	}
	if to := d.ref(roleProcedure); to != "" {
		d.references("partOf", to)
	} else if d.percent(20) {
		d.refers("partOf", roleObservation)
	}
	if url := d.ref(roleQuestionnaire); url != "" {
		d.text("questionnaire", url)
	} else {
		d.noteReference("Questionnaire", uint64(slices.Index(questionnaireTemplates, t.id)))
		d.join("questionnaire", syntheticURL, "Questionnaire/", t.id)
	}
	d.text("status", status)
	subject := d.ref(rolePatient)
	d.reference("subject", subject)
	d.refer("encounter", roleEncounter)
	d.moment("authored", at)
	d.respondents(subject)
	a := answers{at: at, born: d.facts.born, remaining: 1_000, burden: d.between(0, 3)}
	if p, known := d.patient(); known {
		a.born = p.born
	}
	if status == "in-progress" || status == "stopped" {
		a.remaining = d.between(1, 6)
	}
	d.list("item")
	d.answerAll(&a, t.items)
	d.end()
}

// respondents writes author and source: either a practitioner records the answers of the patient,
// or the patient is the author.
func (d *draft) respondents(subject string) {
	author, source := d.ref(roleAuthor), d.ref(roleSource)
	if author == "" {
		if author = subject; d.percent(40) {
			author = d.ref(rolePractitioner)
		}
	}
	if source == "" && author != subject && d.percent(80) {
		source = subject
	}
	d.reference("author", author)
	d.reference("source", source)
}

// answers are the properties that the answers of a response share.
type answers struct {
	at        moment
	born      day // 0 if unknown
	remaining int // number of questions still to be answered
	burden    int // typical score
}

// answerAll writes the items of the questions that are answered.
func (d *draft) answerAll(a *answers, list []question) {
	for i := range list {
		q := &list[i]
		if a.remaining == 0 || q.percent > 0 && !d.percent(q.percent) {
			continue
		}
		d.object("")
		d.text("linkId", q.link)
		d.text("text", q.text)
		if q.typ == "group" {
			d.list("item")
			d.answerAll(a, q.items)
		} else {
			a.remaining--
			d.list("answer")
			d.answer(a, q)
		}
		d.ends(2)
	}
}

// answer writes the answers to a question, with the items that follow a yes.
func (d *draft) answer(a *answers, q *question) {
	d.object("")
	yes := false
	switch q.typ {
	case "boolean":
		yes = d.percent(50)
		d.boolean("valueBoolean", yes)
	case "decimal":
		d.decimal("valueDecimal", d.between(q.low, q.high), q.scale)
	case "integer":
		d.integer("valueInteger", d.between(q.low, q.high))
	case "date":
		d.date("valueDate", max(a.at.day()-day(d.between(q.low, q.high)), a.born))
	case "dateTime":
		at := a.at - moment(d.between(q.low, q.high)*oneDay+d.between(1, 6)*hour)
		if at.day() < a.born {
			at = a.at
		}
		d.moment("valueDateTime", at)
	case "time":
		d.time("valueTime", d.between(q.low/15, q.high/15)*15*minute)
	case "string", "text":
		d.text("valueString", d.one(q.texts))
	case "url":
		d.text("valueUri", d.one(q.texts))
	case "attachment":
		d.picture("valueAttachment", d.percent(50))
	case "choice":
		d.choice(a, q)
	case "quantity":
		d.quantity("valueQuantity", d.between(q.low, q.high), q.scale, q.unit)
	case "reference":
		d.refer("valueReference", rolePractitioner)
	}
	if yes && len(q.items) > 0 && a.remaining > 0 {
		d.list("item")
		d.answerAll(a, q.items)
		d.end()
	}
	d.end()
}

// choice writes the chosen value: a score, or one or two codes.
func (d *draft) choice(a *answers, q *question) {
	if q.isScore() {
		d.integer("valueInteger", min(max(a.burden+d.between(-1, 1), q.low), q.high))
		return
	}
	options := q.options[1:]
	n := d.below(len(options))
	d.coding("valueCoding", options[n].coding())
	if q.repeats && n > 0 && d.percent(30) {
		d.end()
		d.object("")
		d.coding("valueCoding", options[n-1].coding())
	}
}

// responseStatus are the statuses of a QuestionnaireResponse.
var responseStatus = codeList{
	path: "QuestionnaireResponse.status",
	codes: []weightedCode{
		{"in-progress", "", 10, false},
		{"completed", "", 72, false},
		{"amended", "", 9, false},
		{"entered-in-error", "", 3, false},
		{"stopped", "", 6, false},
	},
}
