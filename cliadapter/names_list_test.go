package cliadapter

import (
	"strings"
	"testing"
)

// TestListNames checks that lists of codes understand short names: in flags as questions about one code
// do, and in lines if they are whole names.
func TestListNames(t *testing.T) {
	backend := newSamples(t)
	visits := writeFile(t, "visits.csv", "code,system\ndog,animals\nred,triage-colours|1.0.0\ncat,"+animals+"\ncow,animal\ncow,animmals\n")
	plain := writeFile(t, "plain.csv", "code\ndog\nwolf\n")
	for _, c := range []struct {
		line       string
		code       int
		rows, errs []string // of the answers, and parts of standard error
	}{
		{
			"validate-code --from " + plain + " --system animals -o csv", 0,
			[]string{"line,code,system,", "2,dog," + animals + ",1.0.0,true,", "3,wolf," + animals + ",1.0.0,true,"},
			[]string{"2 yes, 0 no"},
		},
		{
			"member-of --from " + plain + " --system animal --value-set-url pets -o csv", 1,
			[]string{"line,", "2,dog," + animals + ",true,", "3,wolf," + animals + ",false,"},
			[]string{"--system animal is " + animals},
		},
		{
			"lookup --from " + visits + " --system-column system -o csv", 3,
			[]string{"line,", "2,dog," + animals + ",1.0.0,true,Dog", "3,red," + colours + ",1.0.0,true,Red", "4,cat," + animals + ","},
			[]string{"unknown code system: animal\n", "unknown code system: animmals\n"},
		},
		{
			"annotate " + plain + " --system animals --url pets --add display,member", 1,
			[]string{"code,display,member", "dog,Dog,true", "wolf,Wolf,false"},
			nil,
		},
		{
			"annotate " + visits + " --system-column system", 3,
			[]string{"code,system,display", "dog,animals,Dog", "red,triage-colours|1.0.0,Red"},
			[]string{"animmals"},
		},
		{"validate-code --from " + plain + " --system animmals", 3, nil, []string{"unknown code system: animmals; the nearest: animals"}},
		{"annotate " + plain + " --system animmals", 3, nil, []string{"unknown code system: animmals; the nearest: animals"}},
	} {
		code, out, errs := run(t, backend, nil, strings.Fields(c.line)...)
		rows := strings.Split(out, "\n")
		for i, want := range c.rows {
			if i >= len(rows) || !strings.HasPrefix(rows[i], want) {
				t.Errorf("%s: row %d is not %q in\n%s", c.line, i, want, out)
			}
		}
		for _, want := range c.errs {
			if text := strings.ReplaceAll(out, `""`, `"`) + errs; !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.line, want, text)
			}
		}
		if code != c.code {
			t.Errorf("%s: exit code %d\n%s", c.line, code, errs)
		}
	}
}
