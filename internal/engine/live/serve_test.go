//go:build linux

package live

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// generous is when a test gives up waiting for what another process or a server does by itself. No
// test measures anything by it.
const generous = 5 * time.Minute

// connect opens a connection and says a hello, if there is one.
func connect(t *testing.T, address string, h *hello) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(generous))
	if h != nil {
		h.Halfpeak = version
		if err := json.NewEncoder(c).Encode(h); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// welcomed reads the server's answer.
func welcomed(t *testing.T, c net.Conn) (w welcome) {
	t.Helper()
	if err := readLine(bufio.NewReader(c), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// ends waits until the server closes the connection.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := io.Copy(io.Discard, c)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		t.Errorf("the server holds the connection after %v", generous)
	}
}

// usable connects with the server and runs a job.
func usable(t *testing.T, address, token string) *Pair {
	t.Helper()
	q, err := Dial(address, token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Run(Job{Program: "ping_pong", Size: 16, Count: 5}); err != nil {
		t.Fatal(err)
	}
	return q
}

// Connections that say nothing lock nobody out, however many there are: the oldest are told that
// the server is full, and make room.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	address := listen(t, &Server{Token: "sesame"})
	var idle []net.Conn
	for range 5 {
		for range MaxGreeting {
			idle = append(idle, connect(t, address, nil))
		}
		q := usable(t, address, "sesame")
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if w := welcomed(t, idle[0]); !strings.Contains(w.Error, "full") {
		t.Errorf("the oldest was told %q", w.Error)
	}
	for _, c := range idle[1 : len(idle)-MaxGreeting] { // the others have their greeting time yet
		ends(t, c)
	}
}

// A client that writes its hello byte by byte does not get to its end.
func TestSlowWriter(t *testing.T) {
	t.Parallel()
	address := listen(t, &Server{Token: "sesame", toGreet: GreetingTime})
	c := connect(t, address, nil)
	text := fmt.Sprintf(`{"halfpeak":%d,"token":"sesame","session":"0123456789abcdef"}`+"\n", version)
	ended := make(chan bool)
	go func() {
		_, _ = io.Copy(io.Discard, c)
		close(ended)
	}()
	for i := range text {
		select {
		case <-ended:
			return
		case <-time.After(GreetingTime): // the limit is for all of the hello
		}
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
		if i > 15 {
			break
		}
	}
	t.Errorf("the server waits for the rest of a hello, of which a byte comes each %v", GreetingTime)
}

// A client that falls silent after its token is dropped: without a connection for data, without an
// order, and in the middle of one. Its place is free again. On a slow machine the server drops it
// while it still speaks, which is as good.
func TestSilentClient(t *testing.T) {
	t.Parallel()
	address := listen(t, &Server{Token: "sesame", idle: 200 * time.Millisecond,
		toGreet: GreetingTime})
	for i := range MaxClients {
		session := fmt.Sprintf("session %d of a test", i)
		control := connect(t, address, &hello{Token: "sesame", Session: session})
		_ = readLine(bufio.NewReader(control), new(welcome))
		if i > 0 {
			data := connect(t, address, &hello{Token: "sesame", Session: session, Data: true})
			_ = readLine(bufio.NewReader(data), new(welcome))
		}
		if i > 1 {
			_, _ = control.Write([]byte(`{"job":{"progr`))
		}
		defer ends(t, control)
	}
	start := time.Now()
	for free := 0; free < MaxClients; {
		q, err := Dial(address, "sesame")
		if err == nil {
			free++
			defer q.Close()
			continue
		}
		if time.Since(start) > generous {
			t.Fatalf("%v after %v", err, time.Since(start))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// One client more than a server serves is told so, and comes in when another has gone.
func TestFull(t *testing.T) {
	t.Parallel()
	address := listen(t, &Server{})
	var pairs []*Pair
	for range MaxClients {
		pairs = append(pairs, usable(t, address, ""))
	}
	if _, err := Dial(address, ""); err == nil || !strings.Contains(err.Error(), "the server is full: it serves 4 clients already") {
		t.Errorf("one client too many: %v", err)
	}
	if err := pairs[0].Close(); err != nil {
		t.Error(err)
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		q, err := Dial(address, "")
		if err == nil {
			pairs[0] = q
			break
		}
		if time.Since(start) > generous {
			t.Fatal(err)
		}
	}
	for _, q := range pairs {
		_ = q.Close()
	}
}

// A server that accepts a connection and then says nothing.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Dial(l.Addr().String(), "")
	if want := l.Addr().String() + ": it did not send a complete line in time"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// What a server says reaches the terminal without escape sequences.
func TestServerSaysEscapes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_ = json.NewEncoder(c).Encode(welcome{Halfpeak: version, Error: "\x1b[2J" + strings.Repeat("x", 2000)})
		_, _ = bufio.NewReader(c).ReadString('\n')
	}()
	if _, err := Dial(l.Addr().String(), ""); err == nil || strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 500 {
		t.Errorf("error %q", err)
	}
}

func TestToken(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(path, variable, want, wrong string) {
		t.Helper()
		t.Setenv(TokenVariable, variable)
		got, err := Token(path)
		if got != want || (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("token %q, %v; want %q, %q", got, err, want, wrong)
		}
	}
	check("", "", "", "")
	check(write("file\n"), "variable", "file", "")
	check(write(" file \r\nmore"), "", "file", "")
	check("", "variable", "variable", "")
	check(write("\n"), "variable", "", "the first line is empty")
	check(filepath.Join(t.TempDir(), "none"), "", "", "no such file")
	check("", strings.Repeat("x", 5000), "", "at most 256 bytes")
}
