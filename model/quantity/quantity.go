package quantity

import "math"

// Bytes is a size in bytes. It is a float64, since formulas multiply it with times. Message sizes
// are whole numbers from 1 to [MaxBytes]; n½ and other derived sizes need not be whole.
type Bytes float64

// Micros is a time in microseconds.
type Micros float64

// MBps is a rate in MB/s, 10⁶ bytes per second, which is bytes per microsecond.
type MBps float64

// MicrosPerByte is a time per byte, the inverse of a bandwidth: τ of a linear stage, G of LogGP.
type MicrosPerByte float64

// KiB and MiB are the field's K and M: message sizes are powers of two.
const (
	KiB Bytes = 1 << 10
	MiB       = 1 << 10 * KiB
)

// MaxBytes is the largest size that is read: up to 2⁵³ bytes (8192 TiB) a float64
// distinguishes every byte from the next.
const MaxBytes Bytes = 1 << 53

// Unknown stands for an unknown time. NaN spreads through sums and loses every comparison, so a
// forgotten check shows; tables print it as "–".
var Unknown = Micros(math.NaN())

// PerKiB returns the inverse bandwidth in µs/KiB.
func PerKiB(t MicrosPerByte) float64 { return float64(t) * float64(KiB) }

// Times returns the time that n bytes take at tau.
func (tau MicrosPerByte) Times(n Bytes) Micros { return Micros(float64(tau) * float64(n)) }

// Nanos returns tau in ns/B.
func (tau MicrosPerByte) Nanos() float64 { return 1e3 * float64(tau) }

// Rate returns the bandwidth 1/τ, +Inf for τ = 0.
func (tau MicrosPerByte) Rate() MBps { return MBps(1 / float64(tau)) }

// Over returns the rate of n bytes in t, +Inf for t = 0 and n > 0.
func (n Bytes) Over(t Micros) MBps { return MBps(float64(n) / float64(t)) }

// Over returns the size whose transfer at tau takes t: n½ = β/τ of a linear cost; +Inf for
// τ = 0 and t > 0.
func (t Micros) Over(tau MicrosPerByte) Bytes { return Bytes(float64(t) / float64(tau)) }

// Per returns the time per byte of t spent on n bytes.
func (t Micros) Per(n Bytes) MicrosPerByte { return MicrosPerByte(float64(t) / float64(n)) }
