package quantity

// PerKiB returns the inverse bandwidth in µs/KiB.
func PerKiB(t MicrosPerByte) float64 { return float64(t) * float64(KiB) }
