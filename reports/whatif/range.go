//go:build !js

package whatif

// rangeTitle names the parameter on an axis: "host-dma.tau (µs/KiB)".
func rangeTitle(r Range) string {
	title := r.Param.Short()
	if u := r.Param.Value.Dim.Column().Unit; u != "" {
		title += " (" + u + ")"
	}
	return title
}
