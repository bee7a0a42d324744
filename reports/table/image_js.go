package table

// A Picture has the numbers to draw. In WebAssembly, JavaScript draws: the fonts for images alone
// are larger than the rest of the project.
type Picture interface{ rows() Rows }

// RowsOf returns the numbers of a picture.
func RowsOf(p Picture) Rows { return p.rows() }
