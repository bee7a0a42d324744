package platforms_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Predict the time of a message.
func Example() {
	d, err := platforms.Open("clip")
	if err != nil {
		log.Fatal(err)
	}
	layer := d.Layer
	fmt.Println(layer.OneWay(8 * quantity.MiB))
	// Output:
	// 63.2 ms
}

// A layer of a platform is a model: what package model computes of one, it computes of CLIP.
func ExampleOpen() {
	d, err := platforms.Open("clip/user-buffer")
	if err != nil {
		log.Fatal(err)
	}
	clip, layer := d.Platform, d.Layer
	fmt.Println(clip.Title)
	n := 64 * quantity.KiB
	fmt.Println(n, "take", layer.OneWay(n), "=", model.Bandwidth(layer.Model, n))
	for _, roof := range layer.Roofs {
		fmt.Printf("%s: at most %s (%s)\n", roof.Name, roof.Rate, roof.Source)
	}
	// Output:
	// CLIP: communication library on Myrinet, dual Pentium II 266 MHz
	// 64 KiB take 601 µs = 109 MB/s
	// pci: at most 132 MB/s (sec. 3.2.1: clock times width of the PCI bus)
	// link: at most 160 MB/s (sec. 4.2: Myrinet link, raw)
}

// A platform of one's own, in ten lines. A name ending with .toml makes Find read a file.
func ExampleParse() {
	const text = `
title = "My cluster"

[layer.eager]
model = "linear"
beta = "2.1us"
tau = "0.4us/KiB"
source = "netpipe of 3 March"
`
	p, err := platforms.Parse("my.toml", []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	layer, err := p.Layer(p.Default)
	if err != nil {
		log.Fatal(err)
	}
	half, _ := model.HalfPeak(layer.Model)
	fmt.Println(layer.Ref(), "reaches half of", model.Asymptote(layer.Model), "at", half)
	for _, param := range p.Params {
		fmt.Println(param.Path, "=", param.Text, "from", param.Source)
	}
	// Output:
	// my/eager reaches half of 2.56 GB/s at 5376 B
	// layer.eager.beta = 2.1us from netpipe of 3 March
	// layer.eager.tau = 0.4us/KiB from netpipe of 3 March
}

// An error says where it is and what to do.
func ExampleParse_error() {
	_, err := platforms.Parse("my.toml", []byte("[layer.eager]\nmodel = \"linaer\"\n"))
	fmt.Println(err)
	// Output:
	// my.toml:2:1: layer.eager.model: no model "linaer"; did you mean "linear"?
}

// What would HP-LAM gain if the card's data came to the processor in half the time?
func ExampleDesign_With() {
	hp, err := platforms.Open("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	receive, err := hp.Find("o_r")
	if err != nil {
		log.Fatal(err)
	}
	half := receive.Value
	half.Num /= 2
	faster, err := hp.With(platforms.Change{Path: receive.Path, Text: "o_r/2", Value: half})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receive.Path, "=", receive.Text)
	fmt.Println("RTT", model.RTT(hp.Layer.Model, 1), "→", model.RTT(faster.Layer.Model, 1))
	// Output:
	// layer.gam.o_r = dequeue + receive_rest
	// RTT 28 µs → 22.2 µs
}

// A program is a layer whose parameters change again and again, as in a sweep.
func ExampleDesign_Compile() {
	clip, err := platforms.Open("clip/system-buffer")
	if err != nil {
		log.Fatal(err)
	}
	wire, err := clip.Find("wire.tau")
	if err != nil {
		log.Fatal(err)
	}
	prog, _ := clip.Compile(wire)
	for _, perKiB := range []float64{7.5, 5, 2.5} {
		if !prog.Set(perKiB / 1024) { // µs and bytes
			log.Fatal("no place for ", perKiB)
		}
		fmt.Println(perKiB, "µs/KiB:", model.Bandwidth(prog.Layer(), 64*quantity.KiB))
	}
	// Output:
	// 7.5 µs/KiB: 113 MB/s
	// 5 µs/KiB: 116 MB/s
	// 2.5 µs/KiB: 118 MB/s
}

// A formula may name the layer's parameters and ask what its model predicts.
func ExampleLayer_Eval() {
	d, err := platforms.Open("hp-lam")
	if err != nil {
		log.Fatal(err)
	}
	layer := d.Layer
	share, err := layer.Eval("(o_s + o_r) / one_way(16B)", 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("The processors are busy for %.0f %% of a short message's way.\n", 100*share.Num)
	// Output:
	// The processors are busy for 59 % of a short message's way.
}
