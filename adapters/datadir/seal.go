package datadir

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// seal is the JSON file beside a pack that says that every byte of it was verified, and
// which file that was. While the file is the one of the seal, the pack is trusted: its
// entries are used without being read through. A seal that is missing, cannot be read or
// tells of another file costs one verification, nothing else.
type seal struct {
	Version  int         `json:"version"`
	Verified time.Time   `json:"verified"`
	Header   uint32      `json:"header"` // checksum of the header, which covers the table of contents and its checksums
	File     fingerprint `json:"file"`
}

// sealVersion is raised when verification begins to look at more: packs that were
// verified by the lesser rules are verified again.
const sealVersion = 1

const sealSuffix = ".seal"

func sealPath(packPath string) string {
	return strings.TrimSuffix(packPath, packSuffix) + sealSuffix
}

// sealHolds reports whether a pack is, at present, the file that the seal beside it tells of.
func sealHolds(packPath string, header uint32, now fingerprint) bool {
	data, err := os.ReadFile(sealPath(packPath))
	if err != nil {
		return false
	}
	var s seal
	return json.Unmarshal(data, &s) == nil && s.Version == sealVersion && s.Header == header && s.File == now
}

// errUnsettled is given for a pack that was changed so lately that the next change could
// leave its times as they are.
var errUnsettled = errors.New("the file was changed a moment ago")

// sealing is a seal in the making: begun before the pack is verified, finished after it.
type sealing struct {
	pack   *os.File
	path   string // of the pack
	header uint32
	was    fingerprint
	file   *os.File // temporary
}

// beginSeal makes the file that will be the seal of an open pack and remembers what the
// pack is before it is verified. An error says why nothing can be recorded: most often
// that the folder is read-only. It waits for a moment when the pack is a moment old.
func beginSeal(pack *os.File, path string, header uint32) (*sealing, error) {
	was, err := fingerprintOf(pack)
	if err != nil {
		return nil, err
	}
	// Readers make seals too, without the lock of the folder: hence a name of its own.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(sealPath(path))+".*"+temporarySuffix)
	if err != nil {
		return nil, err
	}
	s := &sealing{pack: pack, path: path, header: header, was: was, file: file}
	err = keepsChangeTime(file)
	if err == nil {
		err = s.settle()
	}
	if err != nil {
		s.abort()
		return nil, err
	}
	return s, nil
}

// settle makes sure that no later change of the pack can go unnoticed.
func (s *sealing) settle() error {
	for range 10 { // what is left is waited for again where the clock lags behind
		now, err := fileClock(s.file)
		if err != nil || s.was.settled(now) {
			return err
		}
		wait := s.was.step() - now.Sub(time.Unix(0, s.was.ChangeTime))
		if wait > 2*clockStep {
			break // the clock is coarse, or was set back
		}
		time.Sleep(wait + time.Millisecond)
	}
	return errUnsettled
}

// finish puts the seal in its place. The caller has verified the pack since beginSeal.
func (s *sealing) finish() error {
	defer s.abort()
	// What was verified may have been in memory only, as that of a file copied just now:
	// a seal must not be on the medium before it.
	if err := syncRead(s.pack); err != nil {
		return err
	}
	if now, err := fingerprintOf(s.pack); err != nil || now != s.was {
		return cmp.Or(err, errUnsettled)
	}
	data, err := json.MarshalIndent(seal{Version: sealVersion, Verified: time.Now().UTC(), Header: s.header, File: s.was}, "", "  ")
	if err != nil {
		return err
	}
	if _, err := s.file.WriteAt(append(data, '\n'), 0); err != nil {
		return err
	}
	if err := s.file.Chmod(0o644); err != nil {
		return err
	}
	return publishFile(s.file, sealPath(s.path))
}

// abort returns up a seal that was not finished.
func (s *sealing) abort() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// breakSeal makes sure that the pack is verified before it is used again.
func breakSeal(packPath string) { _ = os.Remove(sealPath(packPath)) }
