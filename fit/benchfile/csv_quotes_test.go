package benchfile

import (
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// Quotes are those of RFC 4180, section 2: a doubled one in a quoted value is one.
func TestQuotedValues(t *testing.T) {
	for line, want := range map[string][]string{
		`"a""b",x,8`:       {`a"b`, "x", "8"},
		`"a""",8`:          {`a"`, "8"},
		`"""a""","b,c",""`: {`"a"`, "b,c", ""},
		`"",8`:             {"", "8"},
		`"a" ,8`:           {"a", "8"},
		`"a"b,8`:           {"ab", "8"}, // not of the standard; nothing is lost
		`"a,8`:             {"a", "8"},
	} {
		var got []string
		for _, f := range lex.Split(nil, []byte(line), ',') {
			got = append(got, string(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
