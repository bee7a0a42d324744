//go:build linux

package live_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/internal/engine/live"
)

// A server and its client, which are two machines elsewhere: HP-LAM's ping_bulk over TCP.
func ExampleServer() {
	server := live.Server{Token: "secret", Log: func(string, ...any) {}}
	listener, err := server.Listen("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer listener.Close()
	go server.Serve(listener)
	pair, err := live.Dial(listener.Addr().String(), "secret")
	if err != nil {
		log.Fatal(err)
	}
	defer pair.Close()
	result, err := pair.Run(live.Job{Program: "ping_bulk", Size: 1024, Count: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("one way takes time:", result.Time > 0)
	// Output:
	// one way takes time: true
}
