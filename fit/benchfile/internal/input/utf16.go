package input

import (
	"bufio"

	"golang.org/x/text/encoding/unicode"
)

// UTF8 returns in, or its text as UTF-8 and true if it begins with a byte order mark of UTF-16, as
// PowerShell's > writes it.
func UTF8(in *bufio.Reader) (text *bufio.Reader, decodes bool) {
	if head, _ := in.Peek(2); string(head) != "\xff\xfe" && string(head) != "\xfe\xff" {
		return in, false
	}
	decoder := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	return bufio.NewReaderSize(decoder.Reader(in), MaxLine), true
}
