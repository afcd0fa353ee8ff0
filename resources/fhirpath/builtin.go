package fhirpath

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/document"
)

// A builtin is a function of a single item with arguments that are single items. If one of them is
// missing, it is not called, and the result is empty.
type builtin func(s *Scope, in Item, arguments []Item) (result Item, found bool, err error)

func toString(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	if in.isQuantity() {
		value, code, unit := in.measure()
		if unit = cmp.Or(code, unit); !in.Computed() || calendarUnit(unit) == 0 {
			unit = "'" + unit + "'"
		}
		return computed(document.String, value.Text()+" "+unit), true, nil
	}
	return computed(document.String, in.Text()), in.hasValue(), nil
}

func toInteger(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	text := in.Text()
	switch {
	case in.Kind() == document.Bool:
		return computed(document.Number, map[string]string{"true": "1", "false": "0"}[text]), true, nil
	case !in.hasValue():
		return Item{}, false, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return computed(document.Number, strconv.FormatInt(n, 10)), err == nil, nil
}

func toDecimal(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	if in.Kind() == document.Bool {
		return computed(document.Number, map[string]string{"true": "1.0", "false": "0.0"}[in.Text()]), true, nil
	}
	_, err := number(computed(document.Number, in.Text()))
	return computed(document.Number, in.Text()), err == nil && in.hasValue(), nil
}

func toBoolean(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	switch strings.ToLower(in.Text()) {
	case "true", "t", "yes", "y", "1", "1.0":
		return truth(true), true, nil
	case "false", "f", "no", "n", "0", "0.0":
		return truth(false), true, nil
	}
	return Item{}, false, nil
}

func toDate(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	date, _, _ := strings.Cut(in.Text(), "T")
	m, ok := parseMoment(date)
	return momentItem(date), ok && !m.clock && in.Kind() == document.String, nil
}

func toDateTime(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	m, ok := parseMoment(in.Text())
	result := momentItem(in.Text())
	result.dateTime = true
	return result, ok && !m.clock && in.Kind() == document.String, nil
}

func toTime(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	text := strings.TrimPrefix(in.Text(), "T")
	m, ok := parseMoment(text)
	return momentItem(text), ok && m.clock && in.Kind() == document.String, nil
}

func toQuantity(_ *Scope, in Item, _ []Item) (Item, bool, error) {
	if in.isQuantity() {
		return in, true, nil
	}
	value, unit, _ := strings.Cut(in.Text(), " ")
	unit = strings.Trim(unit, "'")
	if unit == "" {
		unit = "1"
	}
	_, err := number(computed(document.Number, value))
	return quantityItem(value, unit), err == nil && in.hasValue(), nil
}

// converts returns the function that reports whether a conversion has a result.
func converts(to builtin) builtin {
	return func(s *Scope, in Item, arguments []Item) (Item, bool, error) {
		_, found, err := to(s, in, arguments)
		return truth(found), true, err
	}
}

// text returns the text of an item, or an error for a value that is none.
func (i Item) textOnly() (string, error) {
	if i.Kind() != document.String {
		return "", errors.New("a function of texts was called on another value")
	}
	return i.Text(), nil
}

// ofText makes a function of texts.
func ofText(f func(text string, arguments []Item) (Item, bool)) builtin {
	return func(_ *Scope, in Item, arguments []Item) (Item, bool, error) {
		text, err := in.textOnly()
		if err != nil {
			return Item{}, false, err
		}
		item, found := f(text, arguments)
		if len(item.text) > maxText {
			return Item{}, false, errors.New("a text is too long")
		}
		return item, found, nil
	}
}

func textItem(text string) (Item, bool) { return computed(document.String, text), true }

func wholeItem(n int) (Item, bool) { return computed(document.Number, strconv.Itoa(n)), true }

var (
	startsWith   = ofText(func(t string, a []Item) (Item, bool) { return truth(strings.HasPrefix(t, a[0].Text())), true })
	endsWith     = ofText(func(t string, a []Item) (Item, bool) { return truth(strings.HasSuffix(t, a[0].Text())), true })
	containsText = ofText(func(t string, a []Item) (Item, bool) { return truth(strings.Contains(t, a[0].Text())), true })
	upper        = ofText(func(t string, _ []Item) (Item, bool) { return textItem(strings.ToUpper(t)) })
	lower        = ofText(func(t string, _ []Item) (Item, bool) { return textItem(strings.ToLower(t)) })
	trim         = ofText(func(t string, _ []Item) (Item, bool) { return textItem(strings.TrimSpace(t)) })
	length       = ofText(func(t string, _ []Item) (Item, bool) { return wholeItem(utf8.RuneCountInString(t)) })
	indexOf      = ofText(func(t string, a []Item) (Item, bool) {
		at := strings.Index(t, a[0].Text())
		return wholeItem(utf8.RuneCountInString(t[:max(at, 0)]) + min(at, 0))
	})
	substring = ofText(func(t string, a []Item) (Item, bool) {
		start, err := strconv.Atoi(a[0].Text())
		if characters := []rune(t); err == nil && start >= 0 && start < len(characters) {
			end := len(characters)
			if len(a) > 1 {
				if n, err := strconv.Atoi(a[1].Text()); err == nil && n < end-start {
					end = start + max(n, 0)
				}
			}
			return textItem(string(characters[start:end]))
		}
		return Item{}, false
	})
)

func replace(_ *Scope, in Item, a []Item) (Item, bool, error) {
	text, err := in.textOnly()
	if n := 1 + strings.Count(text, a[0].Text()); err == nil && n*len(a[1].Text())+len(text) > maxText {
		err = errors.New("a text is too long")
	}
	if err != nil {
		return Item{}, false, err
	}
	item, found := textItem(strings.ReplaceAll(text, a[0].Text(), a[1].Text()))
	return item, found, nil
}

// pattern compiles a regular expression (RE2, without look-around). The dot matches ends of lines.
func pattern(text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile("(?s)" + text)
	if err != nil {
		return nil, fmt.Errorf("the regular expression is not supported: %w", err)
	}
	return re, nil
}

func matches(_ *Scope, in Item, a []Item) (Item, bool, error) {
	re, err := pattern(a[0].Text())
	if err != nil {
		return Item{}, false, err
	}
	return matcher(re)(nil, in, nil)
}

// matcher returns matches() with a known pattern.
func matcher(re *regexp.Regexp) builtin {
	return ofText(func(t string, _ []Item) (Item, bool) { return truth(re.MatchString(t)), true })
}

func replaceMatches(_ *Scope, in Item, a []Item) (Item, bool, error) {
	re, err := pattern(a[0].Text())
	if err != nil {
		return Item{}, false, err
	}
	text, err := in.textOnly()
	if err == nil && (len(text)+1)*(len(a[1].Text())+1) > maxText {
		err = errors.New("a text is too long")
	}
	if err != nil {
		return Item{}, false, err
	}
	item, found := textItem(re.ReplaceAllString(text, a[1].Text()))
	return item, found, nil
}

// rounded returns abs, ceiling, floor or truncate.
func rounded(name string) builtin {
	return func(_ *Scope, in Item, _ []Item) (Item, bool, error) {
		z, err := number(in)
		if err != nil {
			return Item{}, false, err
		}
		if name != "abs" {
			whole, rest := new(big.Int).QuoRem(z.Num(), z.Denom(), new(big.Int))
			if name == "ceiling" && rest.Sign() > 0 || name == "floor" && rest.Sign() < 0 {
				whole.Add(whole, big.NewInt(int64(rest.Sign())))
			}
			z.SetInt(whole)
		}
		if name == "abs" {
			z.Abs(z)
		}
		item, err := numberItem(z)
		return item, true, err
	}
}

func round(_ *Scope, in Item, a []Item) (Item, bool, error) {
	z, err := number(in)
	digits := 0
	if err == nil && len(a) > 0 {
		if digits, err = strconv.Atoi(a[0].Text()); err == nil && (digits < 0 || digits > 100) {
			err = errors.New("the number of digits must be 0 to 100")
		}
	}
	if err != nil {
		return Item{}, false, err
	}
	return computed(document.Number, z.FloatString(digits)), true, nil
}

// real returns a function of real numbers. It is empty where the function is not defined.
func real(name string) builtin {
	return func(_ *Scope, in Item, a []Item) (Item, bool, error) {
		z, err := number(in)
		var by float64
		if err == nil && len(a) > 0 {
			by, err = strconv.ParseFloat(a[0].Text(), 64)
		}
		if err != nil {
			return Item{}, false, err
		}
		x, _ := z.Float64()
		switch name {
		case "exp":
			x = math.Exp(x)
		case "ln":
			x = math.Log(x)
		case "sqrt":
			x = math.Sqrt(x)
		case "log":
			x = math.Log(x) / math.Log(by)
		default:
			x = math.Pow(x, by)
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Item{}, false, nil
		}
		text := strconv.FormatFloat(x, 'f', -1, 64)
		return computed(document.Number, text), true, nil
	}
}
