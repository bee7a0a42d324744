package draw

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"regexp"
	"testing"
	"unicode/utf16"
)

// readPDF returns the strings that a PDF shows. It reads the strings as UTF-16, and checks that the
// file tells every reader to do so: that it maps codes to the same Unicode.
func readPDF(t *testing.T, data []byte) []string {
	t.Helper()
	if !bytes.Contains(data, []byte("/Encoding /Identity-H")) ||
		!bytes.Contains(data, []byte("/ToUnicode")) {
		t.Error("the fonts do not map to Unicode")
	}
	var texts []string
	identity := false
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(data, -1) {
		content := m[1]
		if r, err := zlib.NewReader(bytes.NewReader(m[1])); err == nil {
			if content, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		identity = identity || bytes.Contains(content, []byte("<0000> <FFFF> <0000>"))
		shown := regexp.MustCompile(`(?s)\(((?:\\.|[^\\)])*)\) ?Tj`)
		for _, s := range shown.FindAllSubmatch(content, -1) {
			raw := regexp.MustCompile(`(?s)\\(.)`).ReplaceAllFunc(s[1], func(e []byte) []byte {
				if e[1] == 'r' {
					return []byte("\r")
				}
				return e[1:]
			})
			units := make([]uint16, len(raw)/2)
			for i := range units {
				units[i] = binary.BigEndian.Uint16(raw[2*i:])
			}
			texts = append(texts, string(utf16.Decode(units)))
		}
	}
	if !identity {
		t.Error("no identity map to Unicode")
	}
	return texts
}
