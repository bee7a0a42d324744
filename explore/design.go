package explore

type added struct{}
type designs struct{}
