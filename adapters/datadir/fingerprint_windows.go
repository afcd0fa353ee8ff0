package datadir

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// basicInfo is FILE_BASIC_INFO of the Windows API. Times are in units of 100 ns.
type basicInfo struct {
	creationTime, lastAccessTime, lastWriteTime, changeTime int64

	attributes, _ uint32
}

// fingerprintOf returns the fingerprint of an open file.
func fingerprintOf(file *os.File) (fingerprint, error) {
	handle := windows.Handle(file.Fd())
	var about windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &about); err != nil {
		return fingerprint{}, err
	}
	var basic basicInfo
	err := windows.GetFileInformationByHandleEx(handle, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
	if err != nil {
		return fingerprint{}, err
	}
	if basic.changeTime == 0 { // FAT has no change time
		return fingerprint{}, errors.ErrUnsupported
	}
	return fingerprint{
		Size:       int64(about.FileSizeHigh)<<32 | int64(about.FileSizeLow),
		ModTime:    nanoseconds(basic.lastWriteTime),
		ChangeTime: nanoseconds(basic.changeTime),
		Device:     uint64(about.VolumeSerialNumber),
		Inode:      uint64(about.FileIndexHigh)<<32 | uint64(about.FileIndexLow),
	}, nil
}

// nanoseconds converts a Windows time to nanoseconds since 1970.
func nanoseconds(ticks int64) int64 {
	at := windows.Filetime{LowDateTime: uint32(ticks), HighDateTime: uint32(ticks >> 32)}
	return at.Nanoseconds()
}
