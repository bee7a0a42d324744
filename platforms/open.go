package platforms

// Open returns the design that a platform's file describes, by its path, or that of an
// embedded platform, by its name; "/" and the name of a layer may follow. Its layer may have the
// times of a stream, an operation or a collective. A file with measured collectives needs no layer:
// its design then answers nothing else.
func Open(ref string) (Design, error) {
	p, l, err := find(ref)
	d := Design{Platform: p, Layer: l, named: namesLayer(ref)}
	d.Whole = len(p.Levels) > 0 && !d.named
	if file, _ := splitRef(ref); file != p.Name {
		d.file = file
	}
	if !d.named && len(p.Collectives) > 0 {
		err = nil
	}
	return d, err
}

// Messages returns an error if the design has no times of messages.
func (d Design) Messages() error {
	l := d.Layer
	if l.Model == nil {
		var err error
		if l, err = d.Platform.Layer(d.Platform.Default); err != nil {
			return err
		}
	}
	return l.Messages()
}

// OfRanks returns the design that ranks run on. The layer of a file with measured collectives may
// have times of something else than messages, such as those of a collective on one number of ranks;
// it is left out.
func (d Design) OfRanks() (Design, error) {
	err := d.Messages()
	if err != nil && !d.named && len(d.Platform.Collectives) > 0 {
		d.Layer = Layer{}
		return d, nil
	}
	return d, err
}
