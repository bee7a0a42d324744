package table

// A RegionMap shows the regions of several names over two quantities, as cells of their colours. A
// name is written in its largest region if there is room, so that regions are distinct without
// colours too.
type RegionMap struct {
	Title string
	X, Y  Axis        // Min and Max are ignored: the cells give the ends
	XS    []float64   // the middles of the columns, rising, at least 2
	YS    []float64   // the middles of the rows, rising, at least 2
	Names []string    // in the order of the legend: eight have colours, the rest are hatched
	At    [][]int     // by row, then by column: an index into Names, or −1 for none
	Z     [][]float64 // a third quantity, for tables alone, by row and column; nil: none
	Label string      // of Z, with the unit
	Notes []string    // remarks printed beneath
}

// Rows returns a row for each cell.
func (m RegionMap) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "x", Head: m.X.head()}, {Key: "y", Head: m.Y.head()},
			{Key: "name", Head: "name"}, {Key: "z", Head: m.Label},
		},
		Notes: captions(m.Notes),
	}
	for j, row := range m.At {
		for i, at := range row {
			var name, z any
			if at >= 0 {
				name = m.Names[at]
			}
			if m.Z != nil {
				z = m.Z[j][i]
			}
			r.Data = append(r.Data, []any{m.X.cell(m.XS[i]), m.Y.cell(m.YS[j]), name, z})
		}
	}
	return r
}
