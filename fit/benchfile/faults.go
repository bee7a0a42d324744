package benchfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// A file with at least one invalid row in faultyShare is refused: then a column was misread rather
// than a row.
const faultyShare = 100

// badRows returns the error of the invalid rows; nil if there are none. It is fatal if they are too
// many, or if no row is valid. Otherwise the valid rows may be used beside it.
func (p *parser) badRows() (err *Error, fatal bool) {
	if p.bad == 0 {
		return nil, false
	}
	good := 0
	for _, t := range p.file.Tables {
		good += int(t.Rows)
	}
	first := p.faults[0]
	err = first.Error
	if first.object > 1 {
		err.Msg = "object " + strconv.Itoa(first.object) + ": " + err.Msg
	}
	if fatal = p.bad*faultyShare >= good+p.bad; fatal {
		if p.bad > 1 {
			err.Msg += fmt.Sprintf(" (and %s more)", lex.Plural(p.bad-1, "row"))
		}
		return err, true
	}
	err.Msg += fmt.Sprintf("; %d of %s left out", p.bad, lex.Plural(good+p.bad, "row"))
	if p.bad > 1 {
		lines := list.Map(p.faults[1:], func(f fault) string { return strconv.Itoa(f.Line) })
		if p.bad > maxFaults {
			lines = append(lines, "…")
		}
		err.Msg += ", also in line " + strings.Join(lines, ", ")
	}
	return err, false
}
