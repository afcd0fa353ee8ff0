package httpadapter

import (
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	const after = " S 1 1 1 0 -1 4194560 61 0 0 0 150 25 0 0 20 0 7 0 9000 1048576 3 18446744073709551615\n"
	page := float64(os.Getpagesize())
	for _, text := range []string{"7 (roget)" + after, "7 (a) b (c 1)" + after} {
		got := parseStat([]byte(text))
		if want := (processStat{cpu: 1.75, started: 90, virtual: 1048576, resident: 3 * page}); got == nil || *got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"", ")", "7 roget" + after, "7 (roget) S 1 2", "7 (roget) S 1 1 1 0 -1 4194560 61 0 0 0 x 25 0 0 20 0 7 0 9000 1048576 3 1"} {
		if got := parseStat([]byte(text)); got != nil {
			t.Errorf("%q: %v", text, *got)
		}
	}
}

func TestParseOctets(t *testing.T) {
	in, out, ok := parseOctets([]byte("TcpExt: A InOctets\nTcpExt: 1 2\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 12 34\n"))
	if in != 12 || out != 34 || !ok {
		t.Error(in, out, ok)
	}
	for _, text := range []string{"", "IpExt: InOctets OutOctets\n", "IpExt: InOctets OutOctets\nIpExt: 1\n", "IpExt: InOctets OutOctets\nIpExt: 1 x y\n"} {
		if _, _, ok := parseOctets([]byte(text)); ok {
			t.Errorf("%q is read", text)
		}
	}
}

func TestParseBoot(t *testing.T) {
	if boot, ok := parseBoot([]byte("cpu 1 2\nbtime 1700000000\nprocesses 3\n")); boot != 1700000000 || !ok {
		t.Error(boot, ok)
	}
	for _, text := range []string{"", "xbtime 1\n", "btime x\n"} {
		if boot, ok := parseBoot([]byte(text)); ok {
			t.Errorf("%q: %v", text, boot)
		}
	}
}
