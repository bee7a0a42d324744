package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const page = 2 << 20

// advise asks for huge pages from the first boundary of one in s.
func advise[T any](s []T) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))),
		uintptr(cap(s))*unsafe.Sizeof(*unsafe.SliceData(s)))
	if len(bytes) < 2*page {
		return
	}
	skip := -uintptr(unsafe.Pointer(&bytes[0])) & (page - 1)
	_ = unix.Madvise(bytes[skip:], unix.MADV_HUGEPAGE) // the kernel rounds the end up
}
