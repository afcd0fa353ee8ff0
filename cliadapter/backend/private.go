package backend

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
)

// packFolder is the folder of packs in a data folder.
const packFolder = "packs"

// othersMay are the permissions of the group and of others.
const othersMay = 0o077

// makePrivate takes the permissions of others from the files of a data folder and its folder of
// packs, which an earlier program made readable for all, and logs that it did. The data folder
// itself was perhaps made by its user, and stays.
func makePrivate(data string, log *slog.Logger) {
	paths, _ := filepath.Glob(filepath.Join(data, packFolder, "*"))
	paths = append(paths, filepath.Join(data, packFolder), filepath.Join(data, "lock"))
	makeFilesPrivate(paths, log)
}

// makeStorePrivate is makePrivate for the file of a store.
func makeStorePrivate(path string, log *slog.Logger) {
	makeFilesPrivate([]string{path, path + "-wal", path + "-shm"}, log)
}

func makeFilesPrivate(paths []string, log *slog.Logger) {
	if runtime.GOOS == "windows" {
		return
	}
	changed := 0
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm()&othersMay == 0 || !info.Mode().IsRegular() && !info.IsDir() {
			continue
		}
		if os.Chmod(path, info.Mode().Perm()&^othersMay) == nil { // another owner's stay
			changed++
		}
	}
	if changed > 0 && log != nil {
		log.Info("files that others could read are private now", "folder", filepath.Dir(paths[0]), "files", changed)
	}
}
