package explore

import "encoding/json"

// appendJSON appends what [json.Marshal] gives for the figure, without looking at its numbers
// twice.
func (f Figure) appendJSON(b []byte) []byte {
	series := f.Series
	f.Series = nil
	frame, err := json.Marshal(f)
	if err != nil {
		return append(b, failure(err)...)
	}
	b = append(append(b, frame[:len(frame)-1]...), `,"series":[`...)
	for i, s := range series {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.appendJSON(b)
	}
	return append(b, ']', '}')
}

func (s Series) appendJSON(b []byte) []byte {
	name, _ := json.Marshal(struct { // texts and an integer: cannot fail
		Name   string `json:"name"`
		Design int    `json:"design"`
		Kind   string `json:"kind"`
	}{s.Name, s.Design, s.Kind})
	b = append(b, name[:len(name)-1]...)
	for _, of := range []struct {
		key    string
		values Numbers
	}{{`,"x":`, s.X}, {`,"y":`, s.Y}, {`,"low":`, s.Low}, {`,"high":`, s.High}} {
		if of.values != nil {
			b = of.values.append(append(b, of.key...))
		}
	}
	return append(b, '}')
}
