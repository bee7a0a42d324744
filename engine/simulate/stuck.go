package simulate

// placeholder
type Stuck struct{}

func (s *Stuck) Error() string       { return "stuck" }
func (r *run) stuck() error          { return nil }
func (r *run) name(op uint32) string { return r.s.Label(op) }
