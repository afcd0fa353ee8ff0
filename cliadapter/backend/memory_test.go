package backend

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roget-health/roget/cliadapter"
)

func TestDefaultMemory(t *testing.T) {
	const meminfo = "MemFree: 1 kB\nMemTotal:       16777216 kB\nMemAvailable: 5 kB\n"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"machine", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice\n"}, 8 << 30},
		{"version 2", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1073741824\n"}, 768 << 20},
		{"version 2 in a container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/docker-1\n", "sys/fs/cgroup/memory.max": "2147483648\n"}, 1536 << 20},
		{"version 1", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,memory:/c\n1:name=systemd:/c\n", "sys/fs/cgroup/memory/c/memory.limit_in_bytes": "536870912\n"}, 384 << 20},
		{"version 1 without a limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8 << 30},
		{"tiny", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4096\n"}, 256 << 20},
		{"nothing is known", nil, 2 << 30},
		{"garbage", map[string]string{"proc/meminfo": "MemTotal: x", "proc/self/cgroup": "::\n\n0::../..\n", "sys/fs/cgroup/memory.max": "-1"}, 2 << 30},
	} {
		root := fstest.MapFS{}
		for name, text := range row.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := defaultMemory(root); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

// TestPlanMemory checks that the shares fit into the heap with room for the rest, and that the heap and
// what lies outside of it fit into the whole.
func TestPlanMemory(t *testing.T) {
	for _, total := range []int64{cliadapter.MinMemory, 512 << 20, 1 << 30, 64 << 30} {
		p := planMemory(total)
		sum := p.answers + p.requests + p.cache + p.columns + p.overlays.CacheBytes + p.overlays.RememberedBytes
		if sum > p.heap*4/5 || int64(p.page) > p.answers/4 || p.page < 1<<20 || p.heap+p.store+programBytes > total || p.store < 8<<20 {
			t.Errorf("%d bytes: the shares have %d; %+v", total, sum, p)
		}
	}
}

func TestCheckMemory(t *testing.T) {
	const meminfo, group = "MemTotal: 16777216 kB\n", "0::/a\n"
	for _, row := range []struct {
		name   string
		files  map[string]string
		memory int64
		want   string // in the error, "" for none
	}{
		{"the default", map[string]string{"proc/meminfo": meminfo}, 0, ""},
		{"all", map[string]string{"proc/meminfo": meminfo}, 16 << 30, ""},
		{"more", map[string]string{"proc/meminfo": meminfo}, 100 << 40, "--memory is 104857600 MiB, which is more than this machine has (16384 MiB)"},
		{"more than the group", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": group, "sys/fs/cgroup/a/memory.max": "1073741824"}, 2 << 30, "the cgroup of the service may use (1024 MiB)"},
		{"a group on an unknown machine", map[string]string{"proc/self/cgroup": group, "sys/fs/cgroup/a/memory.max": "9663676416"}, 10 << 30, "(9216 MiB)"},
		{"nothing is known", nil, 100 << 40, ""},
	} {
		root := fstest.MapFS{}
		for name, text := range row.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		err := checkMemory(&cliadapter.ServeOptions{Bounds: cliadapter.BoundsOptions{Memory: row.memory}}, root)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}
