//go:build linux

package live

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
)

// TestMain lets tests start this binary as the other node.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		if err := Child(Transport(os.Args[2]), os.Stdin, os.Stdout, false); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "parent" {
		q, err := Start(Transport(os.Args[2]), false, "child", os.Args[2])
		if err == nil {
			fmt.Println(q.child.Process.Pid)
			first, _ := strconv.Atoi(os.Args[3])
			err = work(q, first)
			start := time.Now()
			_ = q.Close()
			fmt.Println(int64(time.Since(start)))
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) == 3 && os.Args[1] == "starve" {
		if err := starve(Transport(os.Args[2])); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Else the race detector makes children sleep a second before they end.
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	os.Exit(m.Run())
}

func suite(t *testing.T, r Runner) {
	t.Helper()
	for _, program := range programs.List(programs.Real) {
		if program.Shape == programs.BySignature {
			continue
		}
		for _, n := range []int{1, 64, 65, 200_000} {
			result, err := r.Run(Job{Program: program.Name, Size: n, Count: 5})
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", program.Name, n, err)
			}
			if result.Time <= 0 {
				t.Errorf("%s of %d bytes takes %v", program.Name, n, result.Time)
			}
		}
	}
	// Stages within a message, whose last portion is short.
	result, err := r.Run(Job{Program: "stages", Size: 512, Piece: 512, Within: 20_000, Count: 3})
	if s := result.Stages; err != nil || !(s[0] > 0 && s[1] > 0 && s[2] > 0) {
		t.Errorf("stages within a message take %v, %v", s, err)
	}
	result, err = r.Run(Job{Program: "signature", Size: 1, Count: 256, Deltas: []float64{0, 1}})
	if err != nil || len(result.Bursts) != 18 {
		t.Errorf("signature: %d bursts, %v", len(result.Bursts), err)
	}
}

func TestPair(t *testing.T) {
	for _, transport := range Transports {
		t.Run(string(transport), func(t *testing.T) {
			q, err := Start(transport, false, "child", string(transport))
			if err != nil {
				t.Fatal(err)
			}
			suite(t, q)
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServe runs the suite over a server, two clients at once.
func TestServe(t *testing.T) {
	l := listen(t, &Server{Token: "sesame"})
	for range 2 {
		t.Run("client", func(t *testing.T) {
			t.Parallel()
			q, err := Dial(l, "sesame")
			if err != nil {
				t.Fatal(err)
			}
			suite(t, q)
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func listen(t *testing.T, s *Server) (address string) {
	t.Helper()
	s.Log = func(string, ...any) {}
	s.toGreet = cmp.Or(s.toGreet, generous)
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func TestRefused(t *testing.T) {
	address := listen(t, &Server{Token: "sesame"})
	if _, err := Dial(address, "open"); err == nil || !strings.Contains(err.Error(), "the token is wrong") {
		t.Errorf("a wrong token: %v", err)
	}
	if _, err := (&Server{}).Listen("0.0.0.0:0"); err == nil || !strings.Contains(err.Error(), "--token") {
		t.Errorf("all addresses without a token: %v", err)
	}
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", strings.Repeat("x", 10000), "{}\n", "\n", "null\n"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, text)
		_ = c.SetDeadline(time.Now().Add(generous))
		for err == nil { // until it closes the connection
			_, err = c.Read(make([]byte, 1000))
		}
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Errorf("%.10q: the server holds the connection", text)
		}
		c.Close()
	}
}

// TestGarbage meets servers that speak something else, nothing, or go away.
func TestGarbage(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"garbage": "SSH-2.0-OpenSSH_9.2\r\n", "nothing": "", "binary": "\x00\xff\n", "other version": `{"halfpeak":99}` + "\n",
		"long": strings.Repeat("x", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = c.Write([]byte(answer))
					if name == "nothing" {
						defer c.Close() // when the test ends
						continue
					}
					time.Sleep(10 * time.Millisecond)
					c.Close()
				}
			}()
			if _, err := Dial(l.Addr().String(), ""); err == nil {
				t.Error("no error")
			}
		})
	}
}
