//go:build linux

package live

import (
	"bufio"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A hello is the first line on each of the two connections of a client: that of control, and then
// that of data, which names the session that it belongs to.
type hello struct {
	Halfpeak int    `json:"halfpeak"` // version of the protocol
	Token    string `json:"token,omitempty"`
	Session  string `json:"session"`
	Data     bool   `json:"data,omitempty"`
}

// A welcome is the answer.
type welcome struct {
	Halfpeak int    `json:"halfpeak"`
	Error    string `json:"error,omitempty"`
}

// Limits of a server.
const (
	maxLine     = 4096
	maxSessions = 4
)

// A Server serves clients on other machines, or on this one.
type Server struct {
	Token string // that clients must know; empty: any
	Log   func(format string, args ...any)

	mu       sync.Mutex
	sessions map[string]chan int // the descriptor of the connection for data
}

// Listen opens an address. One that other machines reach needs a token.
func (s *Server) Listen(address string) (*net.TCPListener, error) {
	to, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	if !to.IP.IsLoopback() && s.Token == "" {
		return nil, fmt.Errorf("%s can be reached by other machines: give --token, or listen on 127.0.0.1", address)
	}
	return net.ListenTCP("tcp", to)
}

// Serve serves clients until the listener is closed.
func (s *Server) Serve(l *net.TCPListener) error {
	s.sessions = map[string]chan int{}
	open := make(chan struct{}, 4*maxSessions)
	for {
		c, err := l.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case open <- struct{}{}:
			go func() {
				defer func() { <-open }()
				defer c.Close()
				if err := s.client(c); err != nil {
					s.Log("%v: %v", c.RemoteAddr(), err)
				}
			}()
		default:
			_ = c.Close() // too many: the client says so
		}
	}
}

func (s *Server) client(c *net.TCPConn) error {
	_ = c.SetDeadline(time.Now().Add(Patience))
	in := bufio.NewReaderSize(c, maxLine)
	var h hello
	if err := readLine(in, &h); err != nil {
		return err
	}
	refuse := func(why string) error {
		_ = json.NewEncoder(c).Encode(welcome{Halfpeak: version, Error: why})
		return errors.New(why)
	}
	switch {
	case h.Halfpeak != version:
		return refuse(fmt.Sprintf("this is version %d of the protocol, the client has %d", version, h.Halfpeak))
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(s.Token)) != 1:
		return refuse("the token is wrong")
	case len(h.Session) < 16:
		return refuse("no session")
	case in.Buffered() > 0:
		return refuse("more than a hello")
	}
	s.mu.Lock()
	data := s.sessions[h.Session]
	full := len(s.sessions) >= maxSessions
	if data == nil && !h.Data && !full {
		s.sessions[h.Session] = make(chan int, 1)
	}
	if data != nil && h.Data {
		delete(s.sessions, h.Session)
	}
	mine := s.sessions[h.Session]
	s.mu.Unlock()
	if h.Data {
		if data == nil {
			return refuse("no such session")
		}
		fd, err := descriptor(c)
		if err != nil {
			data <- -1
			return refuse(err.Error())
		}
		data <- fd // which closes it, whatever the client gets
		return json.NewEncoder(c).Encode(welcome{Halfpeak: version})
	}
	if full || data != nil {
		return refuse("too many clients")
	}
	if err := json.NewEncoder(c).Encode(welcome{Halfpeak: version}); err != nil {
		return err
	}
	fd := -1
	select {
	case fd = <-mine:
	case <-time.After(Patience):
		s.mu.Lock()
		waiting := s.sessions[h.Session] == mine
		delete(s.sessions, h.Session)
		s.mu.Unlock()
		if !waiting { // it has come just now
			fd = <-mine
		}
	}
	if fd < 0 {
		return errors.New("no connection for data came")
	}
	_ = c.SetDeadline(time.Time{})
	p, err := newStreams(1, []int{fd, -1})
	if err != nil {
		return err
	}
	s.Log("%v: connected", c.RemoteAddr())
	err = serve(TCP, p, c, c)
	s.Log("%v: gone", c.RemoteAddr())
	return err
}

func readLine(in *bufio.Reader, into any) error {
	text, err := in.ReadSlice('\n')
	if errors.Is(err, io.EOF) {
		return errors.New("it closed the connection")
	}
	if errors.Is(err, bufio.ErrBufferFull) || err == nil && json.Unmarshal(text, into) != nil {
		return errors.New("it does not speak halfpeak's protocol")
	}
	if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
		return fmt.Errorf("it has said nothing for %v", Patience)
	}
	return err
}

// Dial connects with a [Server].
func Dial(address, token string) (*Pair, error) {
	session := rand.Text()
	say := func(data bool) (*net.TCPConn, error) {
		conn, err := net.DialTimeout("tcp", address, Patience)
		if err != nil {
			return nil, err
		}
		c := conn.(*net.TCPConn)
		_ = c.SetDeadline(time.Now().Add(Patience))
		err = json.NewEncoder(c).Encode(hello{Halfpeak: version, Token: token, Session: session, Data: data})
		var w welcome
		if err == nil {
			err = readLine(bufio.NewReaderSize(c, maxLine), &w)
		}
		switch {
		case err == nil && w.Error != "":
			err = errors.New(w.Error)
		case err == nil && w.Halfpeak != version:
			err = fmt.Errorf("it speaks version %d of the protocol, this is version %d", w.Halfpeak, version)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", address, err), c.Close())
		}
		return c, c.SetDeadline(time.Time{})
	}
	control, err := say(false)
	if err != nil {
		return nil, err
	}
	data, err := say(true)
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	fd, err := descriptor(data)
	if err = errors.Join(err, data.Close()); err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	p, err := newStreams(0, []int{-1, fd})
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	return newPair(TCP, p, control, control), nil
}
