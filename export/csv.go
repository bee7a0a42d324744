package export

import (
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// table writes all costs by level and size.
func table(f *File, m Machine, s Sizes) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"level", "size_bytes", "one_way_us", "gap_us", "o_s_us", "o_r_us"})
	for _, l := range m.Levels {
		for n := s.Low; ; n = min(2*n, s.High) {
			send, receive := l.Layer.Overheads(n)
			w.Write([]string{l.Name, fmt.Sprintf("%.0f", float64(n)), exact(l.Layer.OneWay(n)), exact(l.Layer.Gap(n)), exact(send), exact(receive)})
			if n >= s.High {
				break
			}
		}
	}
	w.Flush()
	f.Text = b.String()
	return w.Error()
}

func exact(t quantity.Micros) string { return fmt.Sprintf("%.12g", float64(t)) }
