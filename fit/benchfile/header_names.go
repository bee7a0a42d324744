package benchfile

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

func isBracketed(text string) bool {
	return strings.ContainsAny(text[:1], "([") && strings.ContainsAny(text[len(text)-1:], ")]")
}

// headerNames splits a header into the names of its columns: at two or more blanks, and where
// copying has collapsed the blanks, behind units and words that are complete names.
func headerNames(line []byte) (names []string) {
	text := strings.TrimLeft(string(line), " ")
	text = strings.TrimPrefix(text, "# ")
	for _, part := range wide().Split(strings.TrimSpace(text), -1) {
		// A word joins the name before it until that is complete: "Avg" and "Latency(us)" are one
		// name, "Size" is another.
		begins := true
		for word := range strings.FieldsSeq(part) {
			if len(names) > 0 && (!begins && word[0] != '#' || isBracketed(word)) {
				word = names[len(names)-1] + " " + word
				names = names[:len(names)-1]
			}
			names = append(names, word)
			begins = completeName().MatchString(word)
		}
	}
	if len(names) > 0 {
		names[0] = strings.TrimPrefix(names[0], "# ")
	}
	return names
}

// completeName matches the end of a name that no further word belongs to.
var completeName = lex.NewPattern(
	`(?i)([)\]]|/s|/sec|size|iterations|repetitions|validation|bytes|defects)$`)

// validName matches the columns that say whether the results of an operation were right.
var validName = lex.NewPattern(`(?i)^[#n]?wrong$|^defects$|^correct(ness)?$|validation$`)

// wide splits a header at two or more blanks, or a tab.
var wide = lex.NewPattern(`\s{2,}|\t`)
