//go:build linux

package live

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// A hello is the first line on each of the two connections of a client: that of control, and then
// that of data, which names the session that it belongs to.
type hello struct {
	Halfpeak int    `json:"halfpeak"` // version of the protocol
	Token    string `json:"token,omitempty"`
	Session  string `json:"session"`
	Data     bool   `json:"data,omitempty"`
}

type welcome struct {
	Halfpeak int    `json:"halfpeak"`
	Error    string `json:"error,omitempty"`
}

// Limits of a server.
const (
	// Clients that measure at the same time disturb each other, so a few places are enough.
	MaxClients = 4
	// MaxGreeting is the number of connections that may be sending their token. Each has
	// GreetingTime for all of it, however slowly it writes; one more connection closes the oldest.
	MaxGreeting = 8
	// GreetingTime is also how long a client that gave its token may take to open its second
	// connection.
	GreetingTime = time.Second
	// ServerMemory is what the messages of all clients take, and what they leave behind. For each,
	// node 1 holds two messages of [MaxSize], as much of messages that nobody has read, and what
	// came while it waited to send.
	ServerMemory = MaxClients * (4*MaxSize + maxStash)
	// IdleTime is the longest silence of a client between two jobs. Within a job, it is [Patience].
	IdleTime = 30 * time.Second
)

// A Server serves clients on other machines, or on this one.
type Server struct {
	Token string // that clients must send; empty: any
	Log   func(format string, args ...any)

	idle     time.Duration // IdleTime, but for tests
	toGreet  time.Duration // GreetingTime, but for tests
	mu       sync.Mutex
	greeting []*net.TCPConn      // oldest first
	waiting  map[string]chan int // clients by session, until the descriptor of their data comes
	clients  int
}

// Listen opens an address. One that other machines reach needs a token.
func (s *Server) Listen(address string) (*net.TCPListener, error) {
	to, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, plain(address, err)
	}
	// Clients make the server spend processor time and memory, so strangers are kept out.
	if !to.IP.IsLoopback() && s.Token == "" {
		return nil, fmt.Errorf("other machines can reach %s: give a token "+
			"(--token-file or HALFPEAK_TOKEN), or listen on 127.0.0.1", address)
	}
	l, err := net.ListenTCP("tcp", to)
	if err != nil {
		return nil, plain(address, err)
	}
	return l, nil
}

// plain describes why an address cannot be reached or listened on, and what to do.
func plain(address string, err error) error {
	malformed, unknown, timeout := new(net.AddrError), new(net.DNSError), net.Error(nil)
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		return fmt.Errorf("%q: nothing listens there; start halfpeak engine serve on that "+
			"machine, or correct the port: %w", address, unix.ECONNREFUSED)
	case errors.Is(err, unix.EADDRINUSE):
		return fmt.Errorf("%q: another program listens there; choose another port, or 0 for a "+
			"free one: %w", address, unix.EADDRINUSE)
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fmt.Errorf("%q: this machine does not have that address; listen on one of its "+
			"own: %w", address, unix.EADDRNOTAVAIL)
	case errors.As(err, &malformed):
		return fmt.Errorf("%q: no HOST:PORT; write one such as 127.0.0.1:7271", address)
	case errors.As(err, &unknown):
		return fmt.Errorf("%q: no address is known for the name %q; check it, or give the IP "+
			"address", address, unknown.Name)
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%q: no answer in %v; check the address, and the firewalls between",
			address, Patience)
	}
	return err
}

// Serve serves clients until the listener is closed.
func (s *Server) Serve(l *net.TCPListener) error {
	// Without it, the memory of clients that are gone would double that of the clients that stay.
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), ServerMemory))
	s.waiting = map[string]chan int{}
	s.idle = cmp.Or(s.idle, IdleTime)
	s.toGreet = cmp.Or(s.toGreet, GreetingTime)
	for {
		c, err := l.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		// Before the goroutine starts: otherwise a flood of connections would be a flood of
		// goroutines that have not been counted yet.
		s.greet(c)
		go func() {
			defer c.Close()
			if err := s.connection(c); err != nil {
				s.Log("%v: %v", c.RemoteAddr(), err)
			}
		}()
	}
}

// greet reads the token of a connection. If too many are sending theirs, the oldest is refused and
// closed.
func (s *Server) greet(c *net.TCPConn) {
	_ = c.SetDeadline(time.Now().Add(s.toGreet))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.greeting = append(s.greeting, c); len(s.greeting) > MaxGreeting {
		oldest := s.greeting[0]
		s.greeting = slices.Delete(s.greeting, 0, 1)
		full := welcome{
			Halfpeak: version,
			Error:    "the server is full: newer connections came before this one gave its token",
		}
		// Encode does not wait: the text fits into the socket's buffer.
		_ = json.NewEncoder(oldest).Encode(full)
		_ = oldest.Close()
	}
}

// greeted ends the greeting of a connection, and reports whether it may stay: not if it had to make
// room.
func (s *Server) greeted(c *net.TCPConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.greeting, c)
	if i < 0 {
		return false
	}
	s.greeting = slices.Delete(s.greeting, i, i+1)
	return true
}

func (s *Server) connection(c *net.TCPConn) error {
	// A stranger can make the server hold this much, and no more.
	in := bufio.NewReaderSize(c, maxLine)
	var h hello
	err := readLine(in, &h)
	if !s.greeted(c) {
		return errors.New("made room for newer connections before it gave its token")
	}
	if err != nil {
		return err
	}
	refuse := func(why string) error {
		_ = json.NewEncoder(c).Encode(welcome{Halfpeak: version, Error: why})
		return errors.New(why)
	}
	switch {
	case h.Halfpeak != version:
		return refuse(fmt.Sprintf("this is version %d of the protocol, the client has %d",
			version, h.Halfpeak))
	// The time of the comparison must not show how much of a guessed token is right.
	case subtle.ConstantTimeCompare([]byte(h.Token), []byte(s.Token)) != 1:
		if h.Token == "" {
			return refuse("it wants a token: give the server's " +
				"(--token-file or " + TokenVariable + ")")
		}
		return refuse("the token is wrong")
	// A session is a random text of the client. A short one could be guessed.
	case len(h.Session) < 16:
		return refuse("no session")
	// What the reader holds already would be lost: orders are read from the connection itself.
	case in.Buffered() > 0:
		return refuse("more than a hello")
	}
	if h.Data {
		return s.data(c, h.Session, refuse)
	}
	mine := make(chan int, 1)
	s.mu.Lock()
	// Decided and booked under one lock: two clients that come together cannot both take the
	// last place.
	full, known := s.clients >= MaxClients, s.waiting[h.Session] != nil
	if !full && !known {
		s.waiting[h.Session] = mine
		s.clients++
	}
	s.mu.Unlock()
	switch {
	case known:
		return refuse("another client has this session")
	case full:
		return refuse(fmt.Sprintf("the server is full: it serves %d clients already, "+
			"try again later", MaxClients))
	}
	defer func() {
		s.mu.Lock()
		s.clients--
		s.mu.Unlock()
	}()
	return s.client(c, h.Session, mine)
}

// data gives the connection for data to the client that waits for it.
func (s *Server) data(c *net.TCPConn, session string, refuse func(string) error) error {
	s.mu.Lock()
	client := s.waiting[session]
	delete(s.waiting, session)
	s.mu.Unlock()
	if client == nil {
		return refuse("no such session")
	}
	fd, err := descriptor(c)
	if err != nil {
		client <- -1
		return refuse(err.Error())
	}
	client <- fd // which closes it, whatever the client gets
	return json.NewEncoder(c).Encode(welcome{Halfpeak: version})
}

// client serves a client with a token: its second connection comes in time, and then its orders.
func (s *Server) client(c *net.TCPConn, session string, data chan int) error {
	_ = c.SetDeadline(time.Now().Add(s.toGreet))
	welcomed := json.NewEncoder(c).Encode(welcome{Halfpeak: version})
	fd := -1
	select {
	case fd = <-data:
	// The session goes, under the lock: either data has taken it before, and sends its
	// descriptor, or it will not find it any more. So no descriptor is left open.
	case <-time.After(s.toGreet):
		s.mu.Lock()
		late := s.waiting[session] == data
		delete(s.waiting, session)
		s.mu.Unlock()
		if !late { // it has come just now
			fd = <-data
		}
	}
	if fd < 0 {
		return errors.Join(welcomed,
			fmt.Errorf("its connection for data did not come within %v", s.toGreet))
	}
	_ = c.SetDeadline(time.Time{})
	p, err := newStreams(1, fd)
	if err != nil {
		return err
	}
	s.Log("%v: connected", c.RemoteAddr())
	err = serve(TCP, p, c, patient{c}, s.idle)
	debug.FreeOSMemory() // the next client may need as much
	s.Log("%v: gone", c.RemoteAddr())
	return err
}

// A patient writer gives up a client that does not read.
type patient struct{ *net.TCPConn }

func (p patient) Write(b []byte) (int, error) {
	_ = p.SetWriteDeadline(time.Now().Add(Patience))
	return p.TCPConn.Write(b)
}

// Dial connects with the [Server] at an address such as "node2:7000". It is an error if nothing
// answers within [Patience], or if the server refuses the token or runs another version.
func Dial(address, token string) (*Pair, error) {
	// 26 random characters: the connection for data is admitted by its token and this text.
	session := rand.Text()
	say := func(data bool) (*net.TCPConn, error) {
		conn, err := net.DialTimeout("tcp", address, Patience)
		if err != nil {
			return nil, plain(address, err)
		}
		c := conn.(*net.TCPConn)
		_ = c.SetDeadline(time.Now().Add(Patience))
		greeting := hello{Halfpeak: version, Token: token, Session: session, Data: data}
		// Both sides name their version, so that each can say which one is too old.
		err = json.NewEncoder(c).Encode(greeting)
		var w welcome
		if err == nil {
			err = readLine(bufio.NewReaderSize(c, maxLine), &w)
		}
		switch {
		case err == nil && w.Error != "":
			err = errors.New(printable(w.Error))
		case err == nil && w.Halfpeak != version:
			err = fmt.Errorf("it speaks version %d of the protocol, this is version %d",
				w.Halfpeak, version)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", address, err), c.Close())
		}
		return c, c.SetDeadline(time.Time{})
	}
	// The connection of control comes first: it books the place that the one for data belongs
	// to.
	control, err := say(false)
	if err != nil {
		return nil, err
	}
	// Node 0 polls this connection for frames, while a goroutine reads answers from the other.
	data, err := say(true)
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	fd, err := descriptor(data)
	if err = errors.Join(err, data.Close()); err != nil {
		return nil, errors.Join(err, control.Close())
	}
	p, err := newStreams(0, fd)
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	return newPair(TCP, p, control, control), nil
}

// TokenVariable is the environment variable that a token comes from if nothing else names one.
const TokenVariable = "HALFPEAK_TOKEN"

// Token returns the token of a server or its client: the first line of a file or, without a path,
// the value of [TokenVariable]; "" if both are missing. Commands do not take it as an argument,
// since ps would show that to every user. An empty file is an error: it would admit everybody.
func Token(path string) (string, error) {
	if path == "" {
		return checkToken(os.Getenv(TokenVariable), TokenVariable)
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return "", fmt.Errorf("the token: %w", err)
	}
	defer f.Close()
	// A wrong path may name a huge file or a device without an end.
	text, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err != nil {
		return "", fmt.Errorf("the token: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("%q: the first line is empty, and should be a token", path)
	}
	return checkToken(line, strconv.Quote(path))
}

// longestToken fits into a hello, however JSON writes it: a byte may become six (\u0000), and
// the other fields need space.
const longestToken = maxLine / 16

func checkToken(token, from string) (string, error) {
	if len(token) > longestToken {
		return "", fmt.Errorf("%s: a token has at most %d bytes", from, longestToken)
	}
	return token, nil
}
