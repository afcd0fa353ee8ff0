package fhirpath_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// TestSemantics checks operators and functions with the results that FHIRPath N1 states; "" is an
// empty result, and ! an error.
func TestSemantics(t *testing.T) {
	resources := map[bool]document.Value{false: parse(t, patient), true: parse(t, `{"resourceType":"Observation","valueNothing":1,"_valueNothing":{"id":"n"},
		"valueQuantity":{"value":1,"code":"g","unit":"gram"},"_effectiveDateTime":{"id":"e"},"component":[{"_valueDateTime":{"id":"v"},"valueDateTime":"2020","_valueTime":{"id":"w"}}],
		"contained":[{"resourceType":"Patient","name":[{"_given":[null,{"id":"g"}],"period":{"start":"2020","end":"2021-02"}}]}]}`)}
	for group, rows := range map[string]string{
		"variants": `
			value.value | 1
			val |
			effective.id | e
			component.value.id | v w
			component.children().id | v w
			contained.name.given.id | g
			value = 1 'g' | true
			contained.name.period.lowBoundary() | 2020-01-01T00:00:00.000+14:00
			contained.name.period.highBoundary() | 2021-02-28T23:59:59.999-12:00`,
		"edges": `
			@0001-01-01 - 1 day |
			@2012-01-05T10+01:00 < @2012-01-05T10Z | true
			@2012-01-05T10+01:00 = @2012-01-05T11+02:00 | true
			@2012-01-05T10:00-01:00 = @2012-01-05 |
			@2012-12-31T23:00:00.25-01:00 = @2013-01-01T00:00:00.25Z | true
			@2020 is Date | true
			@2020 is DateTime | false
			@2020 is date | false
			@2020T is DateTime | true
			@2020T is Date | false
			(@2020T + 1 year) is DateTime | true
			'2020'.toDateTime() is DateTime | true
			'2020'.toDate() is DateTime | false
			now() is DateTime | true
			today() is DateTime | false
			@2014 + 24 months | 2016
			@2014 + 23 months | 2015
			@2014 - 11 months | 2014
			@2014 - 364 days | 2014
			@2014 - 365 days | 2013
			@2014 + 53 weeks | 2015
			@2014-03 + 59 days | 2014-04
			@2014-03 - 29 days | 2014-03
			@2014-03-01 - 23 hours | 2014-03-01
			@2014-03-01 - 24 hours | 2014-02-28
			@2014-03-01T10 - 59 minutes | 2014-03-01T10
			@2014-03-01T10 + 3600000 milliseconds | 2014-03-01T11
			@2014-03-01T10:00Z + 119 seconds | 2014-03-01T10:01Z
			@2020-01-01 + 10000000 days |
			@2020-01-01 + 10000001 days | !
			@2020-01-01 - 10000001 days | !
			@2020-01-01 < '2020' |
			@2020-01-01T10 is Date | false
			@2020-01-01T10:00 + 60000 milliseconds | 2020-01-01T10:01
			@2020-01-01T10:00:00 + 5 milliseconds | 2020-01-01T10:00:00.005
			@2020-01-01T10:00:00.500Z + 1 second | 2020-01-01T10:00:01.500Z
			@2020-01-01T10:00Z + 2 hours | 2020-01-01T12:00Z
			@2020-12-31 + 7979 years | 9999-12-31
			@9999-12-31 + 1 day |
			@T10 is Time | true
			1 + name.single() | !
			1 < 1 | false
			1 is Integer | true
			1.5 is Decimal | true
			1.5 is Integer | false
			1.5.round(0) | 2
			1.replaceMatches('a', 'b') | !
			1.round(-1) | !
			1.round(101) | !
			1.select(union(2)) | 1 2
			1/**/+ 1 | 2
			2 <= 1 | false
			'#'.resolve().id | p
			'1' ~ 1 | false
			'2012-01-05T10:00:00Z' = @2012-01-05T11:00:00+01:00 | false
			'2020-13' < @2021 |
			'2147483647'.toInteger() | 2147483647
			'2147483648'.toInteger() |
			'\n\r\t\f'.matches('^\\n\\r\\t\\f$') | true
			'a' * 2 | !
			'a' is string | false
			'a' is String | true
			1 is integer | false
			1.5 is decimal | false
			@T10 is time | false
			'a'.abs() | !
			'a'.replaceMatches('(', '') | !
			('00' | '23:59:59.1').all(convertsToTime()) | true
			('0001' | '9999-12-31' | '2020-01-01T00' | '2020-01-01T23:59+13:59' | '2020-01-01T00:00:60.999Z').all(convertsToDateTime()) | true
			('24' | '1' | '10:5' | '10:00:5' | '10:00:1e1' | '10:00:nan' | '10:00Z').exists(convertsToTime()) | false
			(':60' | ':00:61' | ':00:+5' | ':00:05.' | ':0014:00' | ':00+15:00' | ':00+01:60' | ':00+01:-5' | ':00+0100' | ':00ZZ' | '+01:30').exists(('2020-01-01T10' & $this).convertsToDateTime()) | false
			(1 | 'a').ofType(String) | a
			(1 | 2 | 3).take(1 | 2) | !
			(1 | 2).aggregate($this | $total) | 2 1
			(1 | 2).aggregate($total, 7 | 8) | 7 8
			(1 | 2).aggregate((3 | 4).aggregate($this | $total) | $total) | 4 3
			(1 | 2).select((3 | 4).where($index = 0) + $index) | 3 4
			gender.empty() | false
			gender.hasExtension('http://x/a') | false
			name.Patient |
			name.aggregate(given.single()) | !
			name.given.getValue() |
			name.single() | 1 | !
			name.single().descendants() | !
			name[0].getValue() |
			true and name | !
			true is boolean | false
			true is Boolean | true`,
		"boundaries": `
			1.587.highBoundary() | 1.58750000
			1.587.lowBoundary(2) | 1.58
			(-1.587).lowBoundary(2) | -1.59
			(-1.587).highBoundary(2) | -1.58
			1.587.lowBoundary(-1) |
			1.lowBoundary() | 0.50000000
			'a'.lowBoundary() | !
			@2014.highBoundary(6) | 2014-12
			@2014-02.highBoundary() | 2014-02-28
			@2014-02.highBoundary(17) |
			@2014-01-01T08.lowBoundary() | 2014-01-01T08:00:00.000+14:00
			@2014-01-01T08:05+08:00.highBoundary() | 2014-01-01T08:05:59.999+08:00
			@2014-01-01T08:05:07.1Z.highBoundary() | 2014-01-01T08:05:07.199Z
			@2014-01-01T08:05.lowBoundary(8) | 2014-01-01
			@T10:30.highBoundary(6) | 10:30:59
			@T10.highBoundary(4) | 10:59
			deceased.lowBoundary() | 2020-01-01T00:00:00.000+14:00
			birthDate.highBoundary() |`,
		"keys": `
			getResourceKey() | p
			generalPractitioner.getReferenceKey() | 1
			generalPractitioner.getReferenceKey(Practitioner) | 1
			generalPractitioner.getReferenceKey('Practitioner') | 1
			generalPractitioner.getReferenceKey(Patient) |
			name.given.join(', ') | John, J., Jo
			name.given.join() | JohnJ.Jo
			name.given.join(name.given) | !`,
		"arithmetic": `
			1 + 2 * 3 | 7
			(1 + 2) * 3 | 9
			5 / 2 | 2.5
			4 / 2 | 2
			1 / 3 | 0.3333333333333333
			5 / 0 |
			5 div 2 | 2
			-5 div 2 | -2
			5 mod 2 | 1
			2.2 mod 1.8 | 0.4
			5 div 0 |
			1 - {} |
			-(2 + 3) | -5
			- - 2 | 2
			0.1 + 0.2 | 0.3
			1 + 'a' | !
			'a' + 'b' | ab
			'a' & {} & 'b' | ab
			'a' + {} |
			(-5).abs() | 5
			1.1.ceiling() | 2
			(-1.1).ceiling() | -1
			(-1.1).floor() | -2
			(-1.9).truncate() | -1
			3.14159.round(3) | 3.142
			2.5.round() | 3
			81.sqrt() | 9
			(-1).sqrt() |
			2.power(3) | 8
			16.log(2) | 4
			0.exp() | 1
			1.ln() | 0`,
		"comparison": `
			1 < 2 | true
			2 <= 2.0 | true
			10 > 9 | true
			0.1 >= 0.10 | true
			1234567890123456789 < 1234567890123456790 | true
			'a' < 'b' | true
			1 < {} |
			1 < 'a' | !
			name.given < 'a' | !
			1 = 1.0 | true
			'a' ~ 'A' | true
			'a  b' ~ 'A b' | false
			'a\tb' ~ 'A b' | true
			1.05 ~ 1.0 | false
			1.01 ~ 1.0 | true
			{} ~ {} | true
			{} !~ 1 | true
			(1 | 2) ~ (2 | 1) | true
			(1 | 2) = (2 | 1) | false
			1 in (1 | 2) | true
			(1 | 2) contains 3 | false
			{} in (1 | 2) |
			1 in {} | false
			(1 | 2) in (1 | 2) | !
			name.given contains 'Jo' | true
			4 days > 3 days | true
			5 'mg' = 5 'mg' | true
			5 'mg' < 6 'g' |
			7 'kg' > extension('http://x/b').value | true`,
		"dates": `
			@2012 < @2013 | true
			@2012-01 <= @2012-01-05 |
			@2012-01 < @2012-02-05 | true
			@2012-01-05 = @2012-01 |
			@2012-01-05T10:00:00Z = @2012-01-05T11:00:00+01:00 | true
			@2012-01-05T23:30:00-01:00 > @2012-01-06T00:00:00Z | true
			@2012-01-05T10:00:00.5Z > @2012-01-05T10:00:00Z | true
			@2012-01-05 < @2012-01-05T10:00:00Z |
			@T10:30 < @T11:00 | true
			@T10:30 < @2012 |
			Patient.deceased < @2020-01-02 | true
			Patient.deceased = @2020 |
			@2020-01-31 + 1 month | 2020-02-29
			@2020-02-29 - 1 year | 2019-02-28
			@2020-01 + 1 month | 2020-02
			@2020-01-01T10:00:00Z + 90 minutes | 2020-01-01T11:30:00Z
			@2020-01-01 + 1 'mg' | !
			today() <= now() |
			today().toString().length() | 10
			now() > @2020-01-01 | true
			timeOfDay() >= @T00:00:00 | true`,
		"texts": `
			'abc'.startsWith('ab') | true
			'abc'.endsWith('bc') | true
			'abc'.contains('x') | false
			'abc'.contains('') | true
			'abcdef'.substring(2) | cdef
			'abcdef'.substring(1, 2) | bc
			'abc'.substring(3) |
			'äbc'.substring(1) | bc
			'äbc'.length() | 3
			'äbc'.indexOf('c') | 2
			'abc'.indexOf('x') | -1
			'abc'.upper() | ABC
			'ABC'.lower() | abc
			' a '.trim() | a
			'aba'.replace('a', 'x') | xbx
			'a.b.c'.replaceMatches('\\..*', '') | a
			'a1'.matches('[0-9]') | true
			'a1'.matches('^[0-9]$') | false
			'a1'.matches('[' & '0-9]') | true
			'a1'.matches('[' & 'x') | !
			{}.matches('a') |
			1.startsWith('a') | !
			name.given.startsWith('J') | !`,
		"collections": `
			(1 | 2 | 2).count() | 2
			(1).combine(1).count() | 2
			(1).combine(1).distinct() | 1
			(1).combine(1.0).isDistinct() | false
			name.given.isDistinct() | true
			name.use.combine(name.use).isDistinct() | false
			(1 | 2 | 3).intersect(2 | 3 | 4) | 2 3
			(1 | 2 | 3).exclude(2) | 1 3
			(1 | 2).subsetOf(1 | 2 | 3) | true
			(1 | 2).supersetOf(1 | 3) | false
			(1 | 2).union(2 | 3) | 1 2 3
			(1 | 2 | 3).skip(1) | 2 3
			(1 | 2 | 3).take(2) | 1 2
			(1 | 2).select($this + 1) | 2 3
			name.select(given.first() & $index) | John0 Jo1
			(1 | 2 | 3).where($index > 0) | 2 3
			(1 | 2 | 3).aggregate($total + $this, 0) | 6
			(3 | 1 | 2).aggregate(iif($total.empty(), $this, iif($this < $total, $this, $total))) | 1
			contained.repeat(name) | Contained
			(1).repeat($this) | 1
			(true | false).allTrue() | false
			(true | false).anyTrue() | true
			{}.allTrue() | true
			(false).allFalse() | true
			(true).anyFalse() | false
			{}.all(false) | true
			iif(true, 1, 2) | 1
			iif({}, 1, 2) | 2
			iif(false, 1) |
			{}.iif(empty(), true, false) | true
			name[0].period.iif(empty(), 'none', 'some') | none
			name.children().count() | 6
			contained.children() | o Contained
			contained.descendants().count() | 2
			descendants().given.count() | 3
			descendants().where($this is Extension).url | http://x/e http://x/absent http://x/a http://x/b
			birthDate.children().url | http://x/absent
			name[0].given[1].children().url | http://x/e
			name.trace('x').count() | 2
			name.exists($this.hasValue()) | false
			birthDate.hasValue() | false
			gender.hasValue() | true
			gender.getValue() | male
			name.all(%context.name contains $this) | true
			name.select(%context.id) | p p
			extension(%ucum) |
			extension('http://x' & '/a').value | 1.50
			%` + "`vs-x`" + ` | http://hl7.org/fhir/ValueSet/x
			name.given.memberOf('http://x') | !
			gender.memberOf('http://x') | `,
		"conversion": `
			'12'.toInteger() | 12
			'1.2'.toInteger() |
			'1.2'.toDecimal() | 1.2
			true.toInteger() | 1
			'yes'.toBoolean() | true
			'x'.toBoolean() |
			1.toString() | 1
			multipleBirth.toString() | 2
			(5 'mg').toString() | 5 'mg'
			(4 days).toString() | 4 days
			'x'.convertsToInteger() | false
			'1'.convertsToInteger() | true
			'2020-01'.toDate() | 2020-01
			'2020-13'.toDate() |
			'2020-01-01T10:00:00Z'.toDateTime() > @2020-01-01T09:00:00Z | true
			'10:30'.toTime() = @T10:30 | true
			'5 \'mg\''.toQuantity() = 5 'mg' | true`,
		"logic": `
			true or 1.startsWith('a') | true
			false and 1.startsWith('a') | false
			false implies 1.startsWith('a') | true
			1 = 1 and 2 > 1 or false | true
			'a' in ('a' | 'b') and true | true
			true /* ends
			 here */ and false // not here | false`,
	} {
		for row := range strings.SplitSeq(strings.ReplaceAll(rows, "ends\n\t\t\t here", "ends here"), "\n") {
			at := strings.LastIndex(row, "|")
			if at < 0 {
				continue
			}
			expression, want := strings.TrimSpace(row[:at]), strings.TrimSpace(row[at+1:])
			e, err := fhirpath.Compile(expression)
			if err != nil {
				t.Errorf("%s: %v", group, err)
				continue
			}
			items, err := e.Evaluate(definitions.R4(), resources[group == "variants"])
			if got := show(items); (err != nil) != (want == "!") || err == nil && got != want {
				t.Errorf("%s: %s: got %q, %v; want %q", group, expression, got, err, want)
			}
		}
	}
}

// TestBounds checks that expressions that would need much memory or time end with an error.
func TestBounds(t *testing.T) {
	resource := parse(t, patient)
	for _, expression := range []string{
		"''" + strings.Repeat(".replace('','xxxxxxxx')", 60),
		"9" + strings.Repeat("*99999999999999999999", 60),
		"(1)" + strings.Repeat(".select($this.combine($this))", 30),
		"(1)" + strings.Repeat(".combine(1)", 60) + ".aggregate($total.combine($total).combine($this))",
	} {
		e, err := fhirpath.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		if items, err := e.Evaluate(definitions.R4(), resource); err == nil {
			t.Errorf("%.40s: %d items", expression, len(items))
		}
	}
}

// TestAnswer checks the functions that the caller answers.
func TestAnswer(t *testing.T) {
	s := fhirpath.NewScope(definitions.R4())
	s.Reset(parse(t, patient))
	s.Answer(func(function string, item, argument fhirpath.Item) (bool, bool) {
		return argument.Text() == "http://x/yes", function == "memberOf" && item.Text() == "male"
	})
	for expression, want := range map[string]string{
		"gender.memberOf('http://x/yes')": "true", "gender.memberOf('http://x/no')": "false", "id.memberOf('http://x/yes')": "",
		"id.htmlChecks()": "",
	} {
		e, err := fhirpath.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		items, err := s.Evaluate(nil, e, s.Root())
		if got := show(items); err != nil || got != want {
			t.Errorf("%s: got %q, %v", expression, got, err)
		}
	}
}

// TestEnter checks the variables within a contained resource.
func TestEnter(t *testing.T) {
	s := fhirpath.NewScope(definitions.R4())
	root := parse(t, patient)
	s.Reset(root)
	s.Enter(root.Get("contained").Index(0))
	e, err := fhirpath.Compile("%resource.id & %rootResource.id & %context.id")
	if err != nil {
		t.Fatal(err)
	}
	if items, err := s.Evaluate(nil, e, s.Root()); err != nil || show(items) != "opp" {
		t.Errorf("%q, %v", show(items), err)
	}
}

// TestConstants checks constants, %rowIndex, and keys of references to this server.
func TestConstants(t *testing.T) {
	values := parse(t, `{"string":"usual","integer":1,"dateTime":"2020-01-01","boolean":true}`)
	constants := map[string]fhirpath.Item{}
	for v := range values.Members() {
		item, err := fhirpath.NewConstant(v.Name(), v)
		if err != nil {
			t.Fatal(err)
		}
		constants[v.Name()] = item
	}
	s := fhirpath.NewScope(definitions.R4())
	s.Reset(parse(t, patient))
	s.SetBases([]string{"http://x/fhir"})
	s.SetRow(7)
	for expression, want := range map[string]string{
		"name.where(use = %string).given": "Jo", "name[%integer].given": "Jo", "deceased = %dateTime": "true", "active and %boolean": "true",
		"%rowIndex + %integer": "8", "%sct": "http://snomed.info/sct", "generalPractitioner.getReferenceKey(Organization)": "2",
		"%none": "!", "name[%string]": "!", "name[integer]": "!", "name[%none]": "!",
	} {
		got := "!"
		if e, err := fhirpath.CompileWith(expression, constants); err == nil {
			items, err := s.Evaluate(nil, e, s.Root())
			if err != nil {
				t.Error(err)
			}
			got = show(items)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
	if _, err := fhirpath.Compile("%rowIndex"); err == nil {
		t.Error("%rowIndex outside of views")
	}
	for _, typ := range []string{"Quantity", "integer", "date", "boolean"} {
		if item, err := fhirpath.NewConstant(typ, values.Get("string")); err == nil {
			t.Errorf("%s: %v", typ, item)
		}
	}
	e, err := fhirpath.Compile("name.where(memberOf('a')).exists(use.memberOf('b') or memberOf(use))")
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	e.Asks(func(function, literal string) { found += function + literal + " " })
	if found != "memberOfa memberOfb memberOf " {
		t.Errorf("literals %q", found)
	}
}
