package httpadapter

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// process writes what Linux tells of this process. What cannot be read is left out.
func (e *exposition) process() {
	var stat *processStat
	if text, err := os.ReadFile("/proc/self/stat"); err == nil {
		stat = parseStat(text)
	}
	if stat != nil {
		e.counter("process_cpu_seconds_total", "Time that processors worked for the process, in seconds.", stat.cpu)
	}
	limited(e, "process_max_fds", "Files the process may have open.", unix.RLIMIT_NOFILE)
	if text, err := os.ReadFile("/proc/self/net/netstat"); err == nil {
		if in, out, ok := parseOctets(text); ok {
			e.counter("process_network_receive_bytes_total", "Bytes received in the network namespace of the process.", in)
			e.counter("process_network_transmit_bytes_total", "Bytes sent in the network namespace of the process.", out)
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		e.gauge("process_open_fds", "Files the process has open.", float64(len(open)))
	}
	if stat != nil {
		e.gauge("process_resident_memory_bytes", "Bytes of the process in memory.", stat.resident)
		if text, err := os.ReadFile("/proc/stat"); err == nil {
			if boot, ok := parseBoot(text); ok {
				e.gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", boot+stat.started)
			}
		}
		e.gauge("process_virtual_memory_bytes", "Bytes of address space of the process.", stat.virtual)
	}
	limited(e, "process_virtual_memory_max_bytes", "Bytes of address space the process may have.", unix.RLIMIT_AS)
}

// limited writes the limit of a resource as a gauge.
func limited(e *exposition, name, help string, resource int) {
	var limit unix.Rlimit
	if unix.Getrlimit(resource, &limit) == nil {
		e.gauge(name, help, float64(limit.Cur))
	}
}

// A processStat is what /proc/PID/stat says, in seconds and bytes. started counts from
// the start of the system.
type processStat struct{ cpu, started, virtual, resident float64 }

// parseStat reads /proc/PID/stat: fields between spaces, of which the second is the name
// of the program in parentheses, with any characters. nil when it has another form.
func parseStat(text []byte) *processStat {
	const ticks = 100 // in a second: USER_HZ, the same on all systems
	end := bytes.LastIndexByte(text, ')')
	fields := bytes.Fields(text[end+1:]) // from the third
	if end < 0 || len(fields) < 22 {
		return nil
	}
	var n [5]float64
	for i, field := range [...]int{14, 15, 22, 23, 24} { // as proc(5) numbers them
		v, err := strconv.ParseUint(string(fields[field-3]), 10, 64)
		if err != nil {
			return nil
		}
		n[i] = float64(v)
	}
	return &processStat{
		cpu: (n[0] + n[1]) / ticks, started: n[2] / ticks,
		virtual: n[3], resident: n[4] * float64(os.Getpagesize()),
	}
}

// parseOctets reads /proc/PID/net/netstat: pairs of lines, names and then values, which
// begin with the same word.
func parseOctets(text []byte) (in, out float64, ok bool) {
	var names [][]byte
	found := 0
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) == 0 || string(fields[0]) != "IpExt:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i := range min(len(names), len(fields)) {
			value, err := strconv.ParseUint(string(fields[i]), 10, 64)
			switch {
			case err != nil:
			case string(names[i]) == "InOctets":
				in = float64(value)
				found++
			case string(names[i]) == "OutOctets":
				out = float64(value)
				found++
			}
		}
	}
	return in, out, found == 2
}

// parseBoot reads from /proc/stat when the system started, in seconds since 1970.
func parseBoot(text []byte) (float64, bool) {
	for line := range bytes.Lines(text) {
		if value, ok := bytes.CutPrefix(line, []byte("btime ")); ok {
			boot, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 64)
			return float64(boot), err == nil
		}
	}
	return 0, false
}
