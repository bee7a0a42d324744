package benchfile

import (
	"bufio"
	"unicode/utf16"
	"unicode/utf8"
)

// A utf16Reader converts UTF-16, as PowerShell's > writes it, to UTF-8, and keeps the byte order
// mark. Half of a surrogate pair becomes U+FFFD, and so does an odd byte at the end.
type utf16Reader struct {
	in    *bufio.Reader
	big   bool
	ahead rune // unit read after half of a pair, if has is set
	has   bool
}

func (u *utf16Reader) Read(b []byte) (n int, err error) {
	for n+utf8.UTFMax <= len(b) {
		r, err := u.unit()
		if err != nil {
			if n > 0 {
				return n, nil // it comes again
			}
			return 0, err
		}
		if utf16.IsSurrogate(r) {
			low, err := u.unit()
			pair := utf16.DecodeRune(r, low)
			if err == nil && pair == utf8.RuneError {
				u.ahead, u.has = low, true
			}
			r = pair
		}
		n += utf8.EncodeRune(b[n:], r)
	}
	return n, nil
}

// unit returns the next two bytes as one unit of UTF-16.
func (u *utf16Reader) unit() (rune, error) {
	if u.has {
		u.has = false
		return u.ahead, nil
	}
	first, err := u.in.ReadByte()
	if err != nil {
		return 0, err
	}
	second, err := u.in.ReadByte()
	if err != nil {
		return utf8.RuneError, nil
	}
	if u.big {
		first, second = second, first
	}
	return rune(first) | rune(second)<<8, nil
}
