package backend

import (
	"testing"
	"testing/fstest"
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
		{"tiny", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4096\n"}, 128 << 20},
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

// TestPlanMemory checks that the shares fit into the whole with room for the rest.
func TestPlanMemory(t *testing.T) {
	for _, total := range []int64{128 << 20, 512 << 20, 1 << 30, 64 << 30} {
		p := planMemory(total)
		sum := p.answers + p.requests + p.cache + p.overlays.CacheBytes + p.overlays.RememberedBytes
		if sum > total*2/3 || int64(p.page) > p.answers/4 || p.page < 1<<20 {
			t.Errorf("%d bytes: the shares have %d; %+v", total, sum, p)
		}
	}
}
