// Package page writes the page of `halfpeak explore`, one HTML file with its style, its scripts and
// the models as WebAssembly, which loads nothing from elsewhere (Write). It also answers the page's
// questions, in JSON (New). It calls the same functions as the command line, so that the numbers on
// the page are those of the commands.
//
//	x := page.New()
//	answer := x.Ask("predict", []byte(`{"designs": [{"ref": "clip"}], "sizes": "64KiB"}`))
//
// # Questions
//
// Each takes the first type as JSON and answers with the second; api.go has their keys. Unknown
// keys are errors. A failed question answers {"error": "one line"}.
//
//	about       nothing           about             version, quantities, collectives, algorithms
//	platforms   nothing           Platforms         embedded and added platforms
//	add         NewPlatform       Platforms         adds a platform file, and returns its platform
//	platform    Design            Platform          a layer with all parameters
//	curves      Curves            Figure            lines, points, bands, marks; the fast one
//	predict     Predict           table             the numbers of `predict --format json`
//	shares      Sized             shares            shares of the parameters at the first size
//	pipeline    Pipelined         pipeline          a message packet by packet
//	collective  CollectiveMap     fastestMap        times of algorithms over ranks and sizes
//	places      CollectiveMap     table             the same at some places, as a table
//	schedule    CollectiveCall    schedule          the messages of one collective
//	fit         File              fitAnswer         lines through a benchmark, their platform
//	toml        Design            textFile          a design as a platform file
//	csv         wrapped           textFile          another question's numbers as CSV
//	command     wrapped           commandLines      command lines with another question's numbers
//
// Numbers are in µs, bytes and MB/s unless a key names another unit, with 12 significant digits.
// Unknown values are null.
package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/reports"
)

// Ask answers a question. It never panics, and answers every request within bounds of time and
// memory, whatever is in it.
func (x *Explorer) Ask(question string, request []byte) (answer []byte) {
	defer func() {
		if r := recover(); r != nil {
			answer = failure(fmt.Errorf("fault in the question %s: %v", question, r))
		}
	}()
	value, err := x.ask(question, request)
	if err == nil {
		if answer, err = json.Marshal(value); err == nil {
			return answer
		}
	}
	return failure(err)
}

func failure(err error) []byte {
	text, _ := json.Marshal(failedAnswer{strings.Join(strings.Fields(err.Error()), " ")})
	return text
}

var questions = map[string]question{
	"about":      asks((*Explorer).about),
	"platforms":  asks((*Explorer).list),
	"add":        asks((*Explorer).add),
	"platform":   asks((*Explorer).platform),
	"curves":     asks((*Explorer).curves),
	"predict":    tabled((*Explorer).predictRows),
	"shares":     asks((*Explorer).shares),
	"pipeline":   asks((*Explorer).pipeline),
	"collective": asks((*Explorer).collective),
	"places":     tabled((*Explorer).placesRows),
	"schedule":   asks((*Explorer).schedule),
	"fit":        asks((*Explorer).fit),
	"toml":       asks((*Explorer).toml),
	"csv":        asks((*Explorer).csv),
	"command":    asks((*Explorer).command),
}

func (x *Explorer) ask(question string, request []byte) (any, error) {
	q, known := questions[question]
	if !known {
		return nil,
			fmt.Errorf("no question %q%s", question,
				usage.Hint(question, slices.Sorted(maps.Keys(questions))))
	}
	return q(x, request)
}

func (x *Explorer) about(nothing) (about, error) {
	a := about{Version: flags.Version(), Formats: benchfile.Known}
	for _, e := range collective.Algorithms {
		if k := len(a.Collectives); k == 0 || a.Collectives[k-1] != e.Collective {
			a.Collectives = append(a.Collectives, e.Collective)
		}
	}
	return a, nil
}

func (x *Explorer) csv(w wrapped) (textFile, error) {
	table, has := tables[w.Question]
	if !has {
		return textFile{}, fmt.Errorf("the answers of %q are not tables", w.Question)
	}
	rows, err := table(x, w.Request)
	if err != nil {
		return textFile{}, err
	}
	text, err := rows.(reports.Rows).CSV()
	return textFile{w.Question + ".csv", string(text)}, err
}

// tables has the questions that csv answers, by name.
var tables = map[string]question{
	"predict": asks((*Explorer).predictRows),
	"shares":  asks((*Explorer).ownersRows),
	"curves": asks(func(x *Explorer, r Curves) (reports.Rows, error) {
		f, err := x.curves(r)
		return f.Rows(), err
	}),
	"pipeline": asks(func(x *Explorer, r Pipelined) (reports.Rows, error) {
		d, n, err := x.pipelined(r)
		if err != nil {
			return reports.Rows{}, err
		}
		return cutRows(d, n)
	}),
	"collective": asks((*Explorer).placesRows),
	"places":     asks((*Explorer).placesRows),
	"schedule": asks(func(x *Explorer, r CollectiveCall) (reports.Rows, error) {
		_, messages, err := x.simulated(r)
		return messageRows(messages), err
	}),
	"fit": asks(func(_ *Explorer, r File) (reports.Rows, error) {
		f, err := fitFile(r)
		if err != nil {
			return reports.Rows{}, err
		}
		return f.Rows(nil), nil
	}),
}
