package validate_test

import (
	"slices"
	"testing"
)

func TestNarrative(t *testing.T) {
	refused := []string{"error invariant Patient.text.div"}
	for div, want := range map[string][]string{
		`<div xmlns="http://www.w3.org/1999/xhtml"><p class='a'>1 &lt; 2<br/><b>x</b></p></div>`: nil,
		`<div><!-- <script> --><![CDATA[<script>]]><?a <script> ?></div>`:                        nil,
		`<div><a href="http://x?a=1&amp;b=>" name = "y">z</a><img src="#a" alt=""/></div>`:       nil,
		`<div><table><tr><td colspan="2">ä</td></tr></table></div>`:                              nil,
		`<div><script>alert(1)</script></div>`:                                                   refused,
		`<div><SCRIPT/></div>`:                                                                   refused,
		`<div><iframe src="http://x"/></div>`:                                                    refused,
		`<div><p onclick="alert(1)">a</p></div>`:                                                 refused,
		`<div><p title="a>b" ONLOAD='x'>a</p></div>`:                                             refused,
		`<div><a href=" java	script:alert(1)">a</a></div>`:                                       refused,
		`<div><a href="&#106;avascript:alert(1)">a</a></div>`:                                    refused,
		`<div><a href=javascript:alert(1)>a</a></div>`:                                           refused,
		`<div><p>a</div>`:           refused,
		`<div>a<br>b</div>`:         refused,
		`<div>1 < 2</div>`:          refused,
		`<div> <p><br/></p> </div>`: refused,
		`<div><img src="a"/></div>`: nil,
		`<div><font>a</font></div>`: refused,
		`<div></p></div>`:           refused,
		`<div><p a>x</p></div>`:     refused,
		`<div><!-- </div>`:          refused,
		`<div><p ="a">x</p></div>`:  refused,
	} {
		got := issues(t, `{"resourceType":"Patient","text":{"status":"generated","div":`+quoted(div)+`}}`)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", div, got, want)
		}
	}
}

func FuzzNarrative(f *testing.F) {
	for _, seed := range []string{`<div><p a="b" on=x>a</p><br/></div>`, `<div><!--`, `<div a='`, `<div <`, `<div><![CDATA[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, div string) {
		issues(t, `{"resourceType":"Patient","text":{"status":"generated","div":`+quoted(div)+`}}`)
	})
}
