package platforms

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A knob points to a parameter in a layer, a level or a protocol. It is an address, so that a sweep
// sets millions of values without a look at their types.
type knob struct {
	num   *float64
	count *int
	cut   *model.Cut
}

// knobAt returns the knob of a parameter at a pointer of one of the types that [model.Field] has,
// or a *float64.
func knobAt(at any) knob {
	switch at := at.(type) {
	case *float64:
		return knob{num: at}
	case *quantity.Micros:
		return knob{num: (*float64)(at)}
	case *quantity.MicrosPerByte:
		return knob{num: (*float64)(at)}
	case *quantity.Bytes:
		return knob{num: (*float64)(at)}
	case *int:
		return knob{count: at}
	case *model.Cut:
		return knob{cut: at}
	}
	panic(fmt.Sprintf("platforms: a parameter is a %T", at))
}

// knobsOf returns the knobs of a field of a layer; those of a list have n elements, which it makes.
func knobsOf(f *model.Field, l model.Layer, n int) (all []knob) {
	switch at := f.At(l).(type) {
	case *[]quantity.Micros:
		*at = make([]quantity.Micros, n)
		for i := range *at {
			all = append(all, knobAt(&(*at)[i]))
		}
	case *[]quantity.Bytes:
		*at = make([]quantity.Bytes, n)
		for i := range *at {
			all = append(all, knobAt(&(*at)[i]))
		}
	default:
		all = []knob{knobAt(at)}
	}
	return all
}

// set gives the parameter a value, in µs and bytes.
func (k knob) set(v float64) {
	switch {
	case k.num != nil:
		*k.num = v
	case k.count != nil:
		*k.count = int(v)
	default:
		*k.cut = model.Cut{Rule: model.CutFixed, Size: quantity.Bytes(v)}
	}
}

// setWord gives the parameter a word of its field's Words.
func (k knob) setWord(word string) {
	cut, err := model.ParseCut(word)
	if k.cut == nil || err != nil {
		panic("platforms: no word for this parameter: " + word)
	}
	*k.cut = cut
}
