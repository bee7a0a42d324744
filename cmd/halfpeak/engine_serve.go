//go:build linux

package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/live"
)

// connect starts another process of this program, or finds a server.
func connect(to, token string, pinned bool) (*live.Pair, error) {
	if address, ok := strings.CutPrefix(to, "tcp://"); ok {
		return live.Dial(address, token)
	}
	if strings.Contains(to, "://") {
		return nil, usagef("%s: other machines are reached as tcp://HOST:PORT", to)
	}
	t, err := live.ParseTransport(to)
	if err != nil {
		return nil, usageError{err}
	}
	args := []string{"engine", "node", to}
	if pinned {
		args = append(args, "--pin")
	}
	return live.Start(t, pinned, args...)
}

// tokenFlags name the source of a token.
type tokenFlags struct{ word, path string }

func (t *tokenFlags) declare(c *cobra.Command) {
	c.Flags().StringVar(&t.path, "token-file", "", "`file` whose first line is the token of the server; else the variable "+live.TokenVariable)
	c.Flags().StringVar(&t.word, "token", "", "the token itself, a `word` that ps shows")
}

func (t *tokenFlags) read() (string, error) {
	if t.word != "" && t.path != "" {
		return "", usagef("two tokens: give --token or --token-file")
	}
	return live.Token(t.word, t.path)
}

func newEngineServe() *cobra.Command {
	var address string
	var token tokenFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve engine bench tcp://HOST:PORT from other machines",
		Long: fmt.Sprintf(`Serve is the other end of engine bench tcp://HOST:PORT. It listens on this machine
alone; for an address that others reach it wants a token, which the clients give too:
the first line of --token-file, or the variable %s, or --token. The token and the data
travel in clear: use it on networks you trust.

It serves %d clients at a time and refuses the next, saying that it is full. A connection has %v
to give its token; up to %d may be about to, and the oldest makes room for the next. A
client that is silent for %v within a job, or %v between two jobs, is dropped.`,
			live.TokenVariable, live.MaxClients, live.GreetingTime, live.MaxGreeting, live.Patience, live.IdleTime),
		Args: wantArgs(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			word, err := token.read()
			if err != nil {
				return err
			}
			s := &live.Server{Token: word, Log: func(format string, args ...any) { cmd.PrintErrf(format+"\n", args...) }}
			l, err := s.Listen(address)
			if err != nil {
				return err
			}
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, os.Interrupt)
			go func() {
				<-stop
				_ = l.Close()
			}()
			fmt.Fprintf(cmd.OutOrStdout(), "serving tcp://%s\n", l.Addr())
			return s.Serve(l)
		},
	}
	c.Flags().StringVar(&address, "listen", "127.0.0.1:7271", "`address` to listen on; port 0 takes a free one")
	token.declare(c)
	return c
}

// newEngineNode is the other process of engine bench.
func newEngineNode() *cobra.Command {
	var pinned bool
	c := &cobra.Command{
		Use:    "node TRANSPORT",
		Short:  "Be the other process of engine bench",
		Hidden: true,
		Args:   wantArgs(1, 1, "a transport"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := live.ParseTransport(args[0])
			if err != nil {
				return usageError{err}
			}
			return live.Child(t, cmd.InOrStdin(), cmd.OutOrStdout(), pinned)
		},
	}
	c.Flags().BoolVar(&pinned, "pin", false, "stay on a processor")
	return c
}
