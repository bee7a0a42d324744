// Package page writes the page of `halfpeak explore`, one HTML file with its style,
// its scripts and the models as WebAssembly, which loads nothing from elsewhere
// (Write). It also answers the page's questions, in JSON (New). It calls the same
// functions as the command line, so that the numbers on the page are those of the
// commands.
//
//	x := page.New()
//	answer := x.Ask("predict", []byte(`{"designs": [{"ref": "clip"}], "sizes": "64KiB"}`))
//
// # Questions
//
// Each takes the first type as JSON and answers with the second; api.go has their
// keys. Unknown keys are errors. A failed question answers {"error": "one line"}.
//
//	about       nothing           about             version, collectives, formats of benchmarks
//	platforms   nothing           platformList      embedded and added platforms
//	add         NewPlatform       platformList      adds a platform file, and returns its platform
//	platform    design            platformAnswer    a layer with all parameters
//	curves      curvesRequest     Figure            lines, points, bands, marks; the fast one
//	predict     predictRequest    shownTable        the numbers of `predict --format json`
//	shares      sizedRequest      shares            shares of the parameters at the first size
//	pipeline    pipelineRequest   pipeline          a message packet by packet
//	collective  mapRequest        fastestMap        times of algorithms over ranks and sizes
//	places      mapRequest        shownTable        the same at some places, as a table
//	schedule    callRequest       schedule          the messages of one collective
//	fit         fileRequest       fitAnswer         lines through a benchmark, their platform
//	toml        design            textFile          a design as a platform file
//	csv         wrapped           textFile          another question's numbers as CSV
//	command     wrapped           commandLines      command lines with another question's numbers
//
// Numbers are in µs, bytes and MB/s unless a key names another unit, with 12
// significant digits. Unknown values are null.
//
// # How it is built
//
// A request comes from a link, a file or a page that somebody else wrote, so it is
// taken for hostile: every size, count and time in it has a bound, which stands
// beside the question that needs it. Without the bounds, a link could freeze a
// browser's tab. The other direction is as strict: no text of a platform file can
// become markup or a script (page.go).
//
// The only state is the platforms that were added, and a cache of designs. Questions
// do not change each other's answers, so the page may ask them in any order, and a
// slow one (a map, a fit) from a worker with an explorer of its own.
//
// Read api.go for the types, this file for the registry, design.go for the reading of
// requests, and then one file per view: curves.go, pipeline.go, collective.go,
// fit.go, platform.go (sliders). command.go has the command line of each view;
// page.go packs the file.
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
	"github.com/halfpeak/halfpeak/reports/table"
)

// Ask answers a question. It never panics, and answers every request within bounds of
// time and memory, whatever is in it. A panic would end the WebAssembly program, and
// with it the page; so a fault of ours becomes the error of one question.
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

// failure returns the answer of a failed question. The error is put on one line, as
// the page has one line for it.
func failure(err error) []byte {
	text, _ := json.Marshal(failedAnswer{strings.Join(strings.Fields(err.Error()), " ")})
	return text
}

// questions has every question by its name in a request. A new one is a row here; if
// people may want its numbers, also one in tables and one in commands.
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

// about lists the collectives in the order of the registry, which has all algorithms
// of one together.
func (x *Explorer) about(nothing) (about, error) {
	a := about{Version: flags.Version(), Formats: benchfile.Known}
	for _, e := range collective.Algorithms {
		if k := len(a.Collectives); k == 0 || a.Collectives[k-1] != e.Collective {
			a.Collectives = append(a.Collectives, e.Collective)
		}
	}
	return a, nil
}

// csv answers with the rows of another question, so that a saved file has the same
// numbers as the view.
func (x *Explorer) csv(w wrapped) (textFile, error) {
	asked, has := csvQuestions[w.Question]
	if !has {
		return textFile{}, fmt.Errorf("the answers of %q are not tables", w.Question)
	}
	rows, err := asked(x, w.Request)
	if err != nil {
		return textFile{}, err
	}
	text, err := rows.(table.Rows).CSV()
	return textFile{w.Question + ".csv", string(text)}, err
}

// csvQuestions has the questions that csv answers, by name. Figures and pictures have a
// table here that is not shown on the page.
var csvQuestions = map[string]question{
	"predict": asks((*Explorer).predictRows),
	"shares":  asks((*Explorer).ownersRows),
	"curves": asks(func(x *Explorer, r curvesRequest) (table.Rows, error) {
		f, err := x.curves(r)
		return f.Rows(), err
	}),
	"pipeline": asks(func(x *Explorer, r pipelineRequest) (table.Rows, error) {
		d, n, err := x.pipelined(r)
		if err != nil {
			return table.Rows{}, err
		}
		return cutRows(d, n)
	}),
	"collective": asks((*Explorer).placesRows),
	"places":     asks((*Explorer).placesRows),
	"schedule": asks(func(x *Explorer, r callRequest) (table.Rows, error) {
		_, messages, err := x.simulated(r)
		return messageRows(messages), err
	}),
	"fit": asks(func(_ *Explorer, r fileRequest) (table.Rows, error) {
		f, err := fitFile(r)
		if err != nil {
			return table.Rows{}, err
		}
		return f.Rows(), nil
	}),
}
