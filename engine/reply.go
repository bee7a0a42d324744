package engine

// Reply answers a request with words to a handler of the node that sent it.
func (m *Message) Reply(h HandlerID, words ...uint32) error {
	if err := checkWords(words); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	m.Endpoint.words(m.From, Reply, m.frame.ID, h, words)
	return nil
}

// ReplyMedium answers a request with data.
func (m *Message) ReplyMedium(h HandlerID, data []byte, words ...uint32) error {
	return m.replyBulk(delivery{h, noSegment, 0, data, words}, part{m.frame.ID, 0, len(data)})
}

// ReplyStore answers a request with data into a segment of the node that sent it.
func (m *Message) ReplyStore(h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return m.replyBulk(delivery{h, segment, offset, data, words}, part{m.frame.ID, 0, len(data)})
}

func (m *Message) replyBulk(d delivery, of part) error {
	if err := d.check(); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	return m.Endpoint.pieces(Reply, m.From, &d, m.frame.ID, of)
}

// reply takes the one reply that a request has.
func (m *Message) reply() error {
	if m.frame.Kind != Request || m.replied {
		return ErrReplied
	}
	m.replied = true
	return nil
}
