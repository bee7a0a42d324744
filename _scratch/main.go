package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

func main() {
	rules := flag.String("rules", "loggopsim", "")
	prof := flag.String("prof", "", "")
	n := flag.Int("n", 1, "")
	flag.Parse()
	t0 := cpu()
	f, _ := os.Open(flag.Arg(0))
	s, err := schedule.Read(f, flag.Arg(0))
	if err != nil {
		panic(err)
	}
	t1 := cpu()
	if *prof != "" {
		o, _ := os.Create(*prof)
		pprof.StartCPUProfile(o)
		defer pprof.StopCPUProfile()
	}
	var ru simulate.Rules
	ru, _ = simulate.ParseRules(*rules)
	for range *n {
		t1b := cpu()
		p, err := simulate.New(s)
		if err != nil {
			panic(err)
		}
		t2 := cpu()
		r, err := p.Run(context.Background(), simulate.Options{Rules: ru, LogGOPS: simulate.Defaults()})
		if err != nil {
			panic(err)
		}
		t3 := cpu()
		fin, rank := r.Finish()
		fmt.Printf("read %.3f new %.3f run %.3f s: %d events, %.2f M/s (with new %.2f), finish %v at %d\n", t1-t0, t2-t1b, (t3-t2), r.Events, float64(r.Events)/(t3-t2)/1e6, float64(r.Events)/(t3-t1b)/1e6, fin, rank)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b, _ := os.ReadFile("/proc/self/status")
	for _, l := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(l, "VmHWM") {
			fmt.Println(l, "sys", m.Sys>>20)
		}
	}
}

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6 + float64(u.Stime.Sec) + float64(u.Stime.Usec)/1e6
}
