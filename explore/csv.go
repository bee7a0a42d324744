package explore

import (
	"fmt"

	"github.com/halfpeak/halfpeak/reports"
)

// csv returns another question's numbers as CSV.
func (x *Explorer) csv(w Wrapped) (Text, error) {
	table, has := tables[w.Question]
	if !has {
		return Text{}, fmt.Errorf("the answers of %q are not tables", w.Question)
	}
	rows, err := table(x, w.Request)
	if err != nil {
		return Text{}, err
	}
	text, err := rows.(reports.Rows).CSV()
	return Text{w.Question + ".csv", string(text)}, err
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
		a, err := x.schedule(r)
		return scheduleRows(a), err
	}),
	"fit": asks(func(_ *Explorer, r File) (reports.Rows, error) {
		f, err := fitFile(r)
		if err != nil {
			return reports.Rows{}, err
		}
		return f.Rows(nil), nil
	}),
}
