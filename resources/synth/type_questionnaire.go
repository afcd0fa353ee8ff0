package synth

import "strconv"

// questionnaire writes the Questionnaire of a template. Resource n uses template n modulo their
// number. Each round of templates is a new version of the same questionnaires.
func questionnaire(d *draft) {
	round := d.number / uint64(len(questionnaires))
	t := &questionnaires[d.number%uint64(len(questionnaires))]
	d.join("url", syntheticURL, "Questionnaire/", t.id)
	d.identifier("artifact")
	d.join("version", "1.", strconv.FormatUint(round, 10), ".0")
	d.machineName("Questionnaire")
	d.text("title", t.title)
	d.text("status", "active")
	d.boolean("experimental", true)
	d.texts("subjectType", "Patient")
	at := d.published()
	d.publisher(at)
	d.effective(at)
	d.list("item")
	d.questionItems(t.items, "", true)
	d.end()
}

// questionItems writes the items of questions. Those below the question link are enabled by the
// answer yes.
func (d *draft) questionItems(list []question, link string, open bool) {
	for i := range list {
		q := &list[i]
		d.object("")
		d.text("linkId", q.link)
		d.text("text", q.text)
		d.text("type", q.typ)
		if !open {
			d.list("enableWhen")
			d.object("")
			d.text("question", link)
			d.text("operator", "=")
			d.boolean("answerBoolean", true)
			d.ends(2)
		}
		if q.repeats {
			d.boolean("repeats", true)
		}
		d.choices(q)
		if len(q.items) > 0 {
			d.list("item")
			d.questionItems(q.items, q.link, q.typ == "group")
			d.end()
		}
		d.end()
	}
}

// choices writes the answerOptions of a question.
func (d *draft) choices(q *question) {
	switch {
	case q.isScore():
		d.list("answerOption")
		for n := q.low; n <= q.high; n++ {
			d.object("")
			d.integer("valueInteger", n)
			d.end()
		}
		d.end()
	case len(q.options) > 0:
		d.list("answerOption")
		for i := range q.options[1:] {
			d.object("")
			d.coding("valueCoding", q.options[1+i].coding())
			d.end()
		}
		d.end()
	}
}
