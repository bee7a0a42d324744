package model

import (
	"errors"
	"reflect"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// New returns a layer of the kind without parts, all of its parameters zero.
func (k *Kind) New() Layer { return clone(k.zero) }

// clone returns a deep copy of a layer; a part that is used twice is copied twice.
func clone(l Layer) Layer {
	k := l.kind()
	c := reflect.New(reflect.TypeOf(l).Elem())
	c.Elem().Set(reflect.ValueOf(l).Elem())
	l = c.Interface().(Layer)
	if k.Branches != nil {
		at := k.Branches(l)
		*at = slices.Clone(*at)
	}
	if k.Stages != nil {
		at := k.Stages(l)
		*at = slices.Clone(*at)
	}
	for i := range k.Fields {
		switch at := k.Fields[i].At(l).(type) {
		case *[]quantity.Micros:
			*at = slices.Clone(*at)
		case *[]quantity.Bytes:
			*at = slices.Clone(*at)
		}
	}
	for part := range parts(l) {
		*part = clone(*part)
	}
	return l
}

// Recut returns the layer with the cut c in all its pipelines. It returns an error if there is no
// pipeline, or one with too few stages for c.
func Recut(l Layer, c Cut) (Layer, error) {
	l = clone(l)
	err := errors.New("it has no pipeline, so no packet size to choose")
	found := false
	walk(l, func(l Layer) {
		if p, ok := l.(*Pipeline); ok && (!found || err == nil) {
			found = true
			p.Cut = c
			_, err = p.check()
		}
	})
	return l, err
}

// Freeze fixes the packets of a message of n bytes and the branches that it takes, so that later
// changes of costs in l and its parts do not affect them. It changes l.
func Freeze(l Layer, n quantity.Bytes) {
	if f, ok := l.(interface{ freeze(quantity.Bytes) }); ok {
		f.freeze(n)
	}
	if s, ok := l.(selector); ok {
		_, inner := s.selected(n)
		Freeze(inner, n)
		return
	}
	if p, ok := l.(*Fragmented); ok {
		n = min(n, p.MTU)
	}
	for part := range parts(l) {
		Freeze(*part, n)
	}
}

// Serving returns the layer with the branch that serves n bytes in place of each switch: what
// other sizes would cost on the way of n bytes. So its cost of one byte is the part of the cost of
// n bytes that does not grow with the size. Of a measured layer it returns the lines, scaled so
// that n bytes take the time of the curve. A layer without a switch is returned as it is.
func Serving(l Layer, n quantity.Bytes) Layer {
	selects := func(l Layer) bool {
		_, is := l.(selector)
		return is
	}
	if !contains(l, selects) {
		return l
	}
	switch of := l.(type) {
	case *Switch:
		_, inner := of.selected(n)
		return Serving(inner, n)
	case *measured:
		lines, fitted := Serving(of.Lines, n), Serving(of.Fitted, n)
		scale := quantity.Micros(1)
		then, same := fitted.OneWay(n), Regime(of.Lines, n) == Regime(of.Fitted, n)
		if then > 0 && same { // the curve shows nothing of another branch at n bytes
			scale = of.Curve(n) / then
		}
		return &measured{Lines: lines, Fitted: fitted,
			Curve: func(n quantity.Bytes) quantity.Micros { return scale * fitted.OneWay(n) }}
	case *Fragmented:
		n = min(n, of.MTU)
	}
	l = clone(l)
	for part := range parts(l) {
		*part = Serving(*part, n)
	}
	return l
}

func walk(l Layer, visit func(Layer)) {
	visit(l)
	for part := range parts(l) {
		walk(*part, visit)
	}
}
