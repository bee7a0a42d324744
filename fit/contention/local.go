package contention

import (
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// CopiesOwn reports whether each rank of a collective begins with a copy of its own data from the
// send into the receive buffer, as Open MPI and MPICH do: its block, or in an allreduce its vector.
func CopiesOwn(name string) bool {
	return name == "allgather" || name == "allreduce" || name == "alltoall"
}

// LocalWork returns the time of local work, [Combine] or [Copy], with a byte, which a platform file
// has as a constant; 0 if it has none.
func LocalWork(p platforms.Platform, work string) quantity.MicrosPerByte {
	for _, c := range p.Constants {
		if c.Owner == work && c.Value.Dim == quantity.DimInverse && c.Value.Num > 0 {
			return quantity.MicrosPerByte(c.Value.Num)
		}
	}
	return 0
}

// PerByte returns the time of local work, Combine or Copy, of a byte of the largest size; 0 if it
// was not measured.
func (c *Calibration) PerByte(work string) (each quantity.MicrosPerByte) {
	largest := quantity.Bytes(0)
	for _, r := range c.Rows {
		if r.Measure == work && r.Size > largest {
			largest, each = r.Size, r.Time.Per(r.Size)
		}
	}
	return each
}

// local returns the time of local work with n bytes in µs, from the nearest measured sizes.
func (c *Calibration) local(work string, n quantity.Bytes) float64 {
	of := c.curve(work, -1)
	if len(of.Sizes) < 2 || n == 0 {
		return float64(c.PerByte(work)) * float64(n)
	}
	at := min(max(n, of.Sizes[0]), of.Sizes[len(of.Sizes)-1])
	return float64(of.At(at).Per(at)) * float64(n)
}
