package input

import (
	"bufio"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// A utf16Reader converts UTF-16, as PowerShell's > writes it, to UTF-8, and keeps the byte order
// mark. Half of a surrogate pair becomes U+FFFD, and so does an odd byte at the end.
type utf16Reader struct {
	in    *bufio.Reader
	order binary.ByteOrder
}

// UTF8 returns in, or its text as UTF-8 and true if it begins with a byte order mark of UTF-16.
func UTF8(in *bufio.Reader) (text *bufio.Reader, decodes bool) {
	head, _ := in.Peek(2)
	order := map[string]binary.ByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian}[string(head)]
	if order == nil {
		return in, false
	}
	return bufio.NewReaderSize(utf16Reader{in, order}, MaxLine), true
}

func (u utf16Reader) Read(b []byte) (n int, err error) {
	for n+utf8.UTFMax <= len(b) {
		next, err := u.in.Peek(4) // fewer at the end
		if len(next) == 0 && n == 0 {
			return 0, err
		}
		r, size := utf8.RuneError, min(2, len(next))
		switch size {
		case 0:
			return n, nil
		case 2:
			r = rune(u.order.Uint16(next))
		}
		if utf16.IsSurrogate(r) && len(next) == 4 {
			if pair := utf16.DecodeRune(r, rune(u.order.Uint16(next[2:]))); pair != utf8.RuneError {
				r, size = pair, 4
			}
		}
		n += utf8.EncodeRune(b[n:], r) // U+FFFD for half of a pair
		_, _ = u.in.Discard(size)      // cannot fail: it was peeked
	}
	return n, nil
}
