// Package explore answers the questions of the page that `halfpeak explore` writes, in JSON. It
// calls the same functions as the command line, so that the numbers on the page are those of the
// commands.
//
//	x := explore.New()
//	answer := x.Ask("predict", []byte(`{"designs": [{"ref": "clip"}], "sizes": "64KiB"}`))
//
// # Questions
//
// Each takes the first type as JSON and answers with the second. Unknown keys are errors. A failed
// question answers {"error": "one line"}; see [Failure].
//
//	about       Nothing           About        version, quantities, collectives with their algorithms
//	platforms   Nothing           Platforms    the embedded platforms, and those that were added
//	add         NewPlatform       Platforms    adds a platform file, and returns its platform
//	platform    Design            Platform     a layer with all parameters
//	curves      Curves            Figure       lines, points, bands, marks; the fast one
//	predict     Predict           Table        the numbers of `predict --format json`
//	shares      Sized             Shares       share of each parameter, at the first of the sizes
//	pipeline    Pipelined         Pipeline     a message packet by packet
//	collective  CollectiveMap     Times        times of algorithms over ranks and sizes
//	places      CollectiveMap     Table        the same at some places, as a table
//	schedule    CollectiveCall    Schedule     the messages of one collective
//	fit         File              Fit          lines through a benchmark's file, and their platform
//	toml        Design            Text         the design as a platform file
//	csv         Wrapped           Text         another question's numbers as CSV
//	command     Wrapped           Commands     the command lines that give another question's numbers
//
// Numbers are in µs, bytes and MB/s unless a key names another unit, with 12 significant digits.
// Unknown values are null.
package explore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/platforms"
)

// An Explorer answers questions. It holds the platforms that were added to it, and is for one
// goroutine at a time.
type Explorer struct {
	added   map[string]*platforms.Platform // by their names, with .toml
	designs map[string]resolved            // the last ones that were asked for
}

// New returns an explorer that has only the platforms that come with halfpeak.
func New() *Explorer { return &Explorer{map[string]*platforms.Platform{}, map[string]resolved{}} }

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
	text, _ := json.Marshal(Failure{strings.Join(strings.Fields(err.Error()), " ")})
	return text
}

// A question reads its request and answers it.
type question func(*Explorer, []byte) (any, error)

// questions has the questions by name.
var questions map[string]question

func init() { // two questions ask other questions
	questions = map[string]question{
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
}

func (x *Explorer) ask(question string, request []byte) (any, error) {
	q, known := questions[question]
	if !known {
		return nil, fmt.Errorf("no question %q%s", question, nearest.Hint(question, sortedKeys(questions)))
	}
	return q(x, request)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// asks is a question whose request is a T.
func asks[T, A any](answer func(*Explorer, T) (A, error)) question {
	return func(x *Explorer, request []byte) (any, error) {
		var r T
		if err := read(request, &r); err != nil {
			return nil, err
		}
		return answer(x, r)
	}
}

// read reads a request, which is one JSON value without unknown keys. Nothing at all is {}.
func read(request []byte, to any) error {
	if len(bytes.TrimSpace(request)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("request: something follows the JSON value")
	}
	return nil
}
