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

// seal is the JSON file beside a pack that records which file was verified. While the file
// matches its seal, the pack is trusted: its entries are used without being read first. A seal
// that is missing, unreadable or of another file only costs a verification.
type seal struct {
	Version  int         `json:"version"`
	Verified time.Time   `json:"verified"`
	Header   uint32      `json:"header"` // checksum of the header, which in turn covers the table of contents and its checksums
	File     fingerprint `json:"file"`
}

// sealVersion is increased when verification checks more than before, so that packs verified by
// older rules are verified again.
const sealVersion = 1

const sealSuffix = ".seal"

func sealPath(packPath string) string {
	return strings.TrimSuffix(packPath, packSuffix) + sealSuffix
}

// sealHolds reports whether the seal beside a pack matches its present file.
func sealHolds(packPath string, header uint32, now fingerprint) bool {
	data, err := os.ReadFile(sealPath(packPath))
	if err != nil {
		return false
	}
	var s seal
	return json.Unmarshal(data, &s) == nil && s.Version == sealVersion && s.Header == header && s.File == now
}

// errChangedRecently is returned for a pack that was changed so recently that the next change
// could leave its times the same.
var errChangedRecently = errors.New("the file was changed a moment ago")

// pendingSeal is a seal in preparation: begun before the pack is verified, committed after it.
type pendingSeal struct {
	pack   *os.File
	path   string // of the pack
	header uint32
	before fingerprint
	file   *os.File // temporary
}

// beginSeal creates the file for the seal of an open pack and records the fingerprint of the pack
// before verification. It waits until the last change of the pack is distinguishable from the
// next one. An error means that no seal can be written, usually because the folder is read-only.
func beginSeal(pack *os.File, path string, header uint32) (*pendingSeal, error) {
	was, err := fingerprintOf(pack)
	if err != nil {
		return nil, err
	}
	// Readers create seals without the lock of the folder, so the name must be unique.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(sealPath(path))+".*"+temporarySuffix)
	if err != nil {
		return nil, err
	}
	s := &pendingSeal{pack: pack, path: path, header: header, before: was, file: file}
	err = checkChangeTime(file)
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
func (s *pendingSeal) settle() error {
	for range 10 { // wait again for the rest if the clock lags behind
		now, err := fileClock(s.file)
		if err != nil || s.before.settled(now) {
			return err
		}
		wait := s.before.clockResolution() - now.Sub(time.Unix(0, s.before.ChangeTime))
		if wait > 2*fineResolution {
			break // the clock is coarse, or was set back
		}
		time.Sleep(wait + time.Millisecond)
	}
	return errChangedRecently
}

// commit moves the seal into place. The caller has verified the pack since beginSeal.
func (s *pendingSeal) commit() error {
	defer s.abort()
	// The verified content may exist only in memory, for example of a file copied just now. The
	// seal must not become durable before it.
	if err := syncRead(s.pack); err != nil {
		return err
	}
	if now, err := fingerprintOf(s.pack); err != nil || now != s.before {
		return cmp.Or(err, errChangedRecently)
	}
	data, err := json.MarshalIndent(seal{Version: sealVersion, Verified: time.Now().UTC(), Header: s.header, File: s.before}, "", "  ")
	if err != nil {
		return err
	}
	if _, err := s.file.WriteAt(append(data, '\n'), 0); err != nil {
		return err
	}
	if err := s.file.Chmod(0o600); err != nil {
		return err
	}
	return publishFile(s.file, sealPath(s.path))
}

// abort discards a seal that was not committed.
func (s *pendingSeal) abort() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// removeSeal makes sure that the pack is verified before it is used again.
func removeSeal(packPath string) { _ = os.Remove(sealPath(packPath)) }
