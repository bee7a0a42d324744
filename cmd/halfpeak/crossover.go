package main

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// crossover finds the sizes at which each of the layers overtakes each other, and how sure that is.
func crossover(refs []string, o compareOptions) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "faster_below", Head: "faster up to it"}, {Key: "faster_beyond", Head: "faster beyond it"}, {Key: "size_bytes", Head: "size"},
		{Key: "close_from_bytes", Head: "within 5 % from"}, {Key: "close_to_bytes", Head: "to"},
		{Key: "low_bytes", Head: "95 % from"}, {Key: "high_bytes", Head: "to"}, {Key: "probability", Head: "they cross there", Text: func(v any) string { return probability(v.(float64)) }},
	}}
	var designs []whatif.Design
	for _, ref := range refs {
		p, l, err := o.layers.find(ref)
		if err != nil {
			return rows, err
		}
		designs = append(designs, whatif.Design{Platform: p, Layer: l})
	}
	for i, b := range designs {
		for _, a := range designs[:i] {
			found := whatif.Crossings(a.Layer.Model, b.Layer.Model, 1, whatif.MaxSize)
			for _, c := range found {
				first, then := a.Layer.Ref(), b.Layer.Ref()
				if !c.Beyond {
					first, then = then, first
				}
				row := []any{first, then, c.Size, c.Low, c.High, nil, nil, nil}
				if o.layers.packet == "" { // a pipeline cut otherwise is not in the file that intervals are of
					in, sure, err := whatif.CrossingInterval(a, b, c, 1, whatif.MaxSize, o.sampling())
					switch {
					case err == nil:
						row[5], row[6], row[7] = quantity.Bytes(in.Low), quantity.Bytes(in.High), sure
					case !isExact(err):
						return rows, err
					}
				}
				rows.Data = append(rows.Data, row)
			}
			if len(found) == 0 {
				rows.Notes = append(rows.Notes, neverCross(a, b))
			}
		}
	}
	return rows, nil
}

// neverCross says which of two layers is the faster one at all sizes.
func neverCross(a, b whatif.Design) string {
	n := quantity.Bytes(1)
	if a.Layer.Model.OneWay(n) == b.Layer.Model.OneWay(n) {
		n = whatif.MaxSize
	}
	switch x, y := a.Layer.Model.OneWay(n), b.Layer.Model.OneWay(n); {
	case x < y:
		return fmt.Sprintf("%s is faster than %s at all sizes up to 1 GiB.", a.Layer.Ref(), b.Layer.Ref())
	case x > y:
		return fmt.Sprintf("%s is faster than %s at all sizes up to 1 GiB.", b.Layer.Ref(), a.Layer.Ref())
	}
	return fmt.Sprintf("%s and %s cost the same.", a.Layer.Ref(), b.Layer.Ref())
}

// overtakes says in words where one of two layers overtakes the other.
func overtakes(refs []string, o compareOptions) ([]string, error) {
	rows, err := crossover(refs, o)
	notes := rows.Notes
	for _, r := range rows.Data {
		note := fmt.Sprintf("%s is faster up to %s, %s beyond; within 5 %% of each other from %s to %s", r[0], r[2], r[1], r[3], r[4])
		if r[5] != nil {
			note += fmt.Sprintf("; 95 %% interval %s to %s", r[5], r[6])
		}
		notes = append(notes, note+".")
	}
	return notes, err
}
