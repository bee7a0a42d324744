package engine

// A Message is what a handler gets.
type Message struct {
	Endpoint *Endpoint
	From     int      // the node that sent it
	Words    []uint32 // arguments
	// Data is the data of a medium message, or the part of the segment where bulk data now is.
	Data []byte
	// Offset is where Data begins in a medium message that came in pieces, or in the segment; Whole
	// is the size of all pieces together.
	Offset, Whole int

	frame   *Frame
	replied bool
	words   [MaxWords]uint32
}

// Reply answers a request with words to a handler of the node that sent it.
func (m *Message) Reply(h HandlerID, words ...uint32) error {
	if err := checkWords(words); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	return m.Endpoint.words(m.From, Reply, m.frame.ID, h, words)
}

// ReplyMedium answers a request with data.
func (m *Message) ReplyMedium(h HandlerID, data []byte, words ...uint32) error {
	return m.replyBulk(h, noSegment, 0, data, part{message: m.frame.ID, whole: len(data)}, words)
}

// ReplyStore answers a request with data into a segment of the node that sent it.
func (m *Message) ReplyStore(h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return m.replyBulk(h, segment, offset, data, part{message: m.frame.ID, whole: len(data)}, words)
}

func (m *Message) replyBulk(h HandlerID, segment, offset int, data []byte, of part, words []uint32) error {
	if err := checkBulk(segment, offset, len(data), len(words)); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	return m.Endpoint.pieces(Reply, m.From, h, segment, offset, data, m.frame.ID, of, words)
}

// reply takes the one reply that a request has.
func (m *Message) reply() error {
	if m.frame.Kind != Request || m.replied {
		return ErrReplied
	}
	m.replied = true
	return nil
}
