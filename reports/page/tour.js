"use strict";
// The guided tour: a few steps for a lecture. Each sets the page, and the sliders stay free.
const tour = (() => {
	const { s } = state, $ = id => document.getElementById(id);
	const d = (ref, set = {}) => ({ ref, set: new Map(Object.entries(set)) });
	const lam = "hp-lam/gam";
	// A library with round numbers. An eager message is copied once more at the receiver, 0.5 µs for
	// each KiB; a rendezvous costs 8 µs. They cross at 16 KiB.
	const lecture = `title = "A library with round numbers, for a lecture"
[layer.mpi]
title = "eager, then rendezvous"
model = "switch"
branches = [{ layer = "eager", up_to = "4KiB" }, { layer = "rendezvous" }]
source = "chosen too low, for the reader to mend"
[layer.eager]
title = "at once, with a copy at the receiver"
model = "linear"
beta = "5us"
tau = "1.5us/KiB"
source = "invented"
[layer.rendezvous]
title = "request and answer, then no copy"
model = "linear"
beta = "13us"
tau = "1us/KiB"
source = "invented"
`;
	const steps = [
		{
			title: "o: what the processor pays",
			text: "LogP describes a machine by four letters. The overhead o is the time that a processor spends on a message and can do nothing else: o_s to send, o_r to receive. Here is HP-LAM, active messages on a Myrinet of 1996; the second design pays twice the o_s. One way takes longer by exactly that much.",
			tries: "Move o_s. One way follows at once; the gap stays where it is until o_s is above g, and the processor has become the bottleneck.",
			view: "curves", quantity: "four", from: 1, to: 4096, size: 16, on: 1,
			designs: [d(lam), d(lam, { "layer.gam.o_s": "5.8us" })],
		},
		{
			title: "L: what the network takes",
			text: "The latency L passes between the processors, in cards, cables and switches. Both processors are free meanwhile. Twice the L makes one message later, but the gap and the throughput stay: the network holds more messages at once.",
			tries: "Move L and see which two of the four curves do not move.",
			view: "curves", quantity: "four", from: 1, to: 4096, size: 16, on: 1,
			designs: [d(lam), d(lam, { "layer.gam.L": "10.6us" })],
		},
		{
			title: "g: how often",
			text: "The gap g is the least time between two messages; 1/g is the most messages per second. Twice the g does nothing to a single message. It shows when many follow each other: see the gap and the throughput.",
			tries: "Make g smaller. Below the larger of the two overheads it no longer matters: the processor is the bottleneck.",
			view: "curves", quantity: "four", from: 1, to: 4096, size: 16, on: 1,
			designs: [d(lam), d(lam, { "layer.gam.g": "17.4us" })],
		},
		{
			title: "P: how many",
			text: "P is the number of processors. With the other three letters it decides how a broadcast should be arranged. The tree below is the best for these parameters: a rank that has the datum goes on sending it, as often as g allows, while others already pass it on.",
			tries: "Move L up and down: the best tree becomes flat or deep. Compare with the binomial tree in the table.",
			view: "collectives", collective: "bcast", ranks: 8, block: 8, algorithm: "logp-optimal", on: 0,
			designs: [d(lam)],
		},
		{
			title: "n½: the size of half the peak",
			text: "The simplest model of a message of n bytes is β + nτ. Short messages pay for β, long ones for τ. Half of the peak bandwidth is reached at n½ = β/τ; the diamond marks it on any curve. Below it work on what a message costs, above it on what a byte costs.",
			tries: "Make the β of copy-out larger: n½ moves to the right, and the peak stays where it was.",
			view: "curves", quantity: "bandwidth", from: 16, to: 1 << 20, size: 4096, on: 0,
			designs: [d("clip")],
		},
		{
			title: "Why unequal packets win",
			text: "CLIP sends a long message in packets, so that the copy, the bus and the wire work at once. Large packets fill the pipe slowly, small ones pay β too often. Best of all are packets that start small, grow and shrink again: the first is through quickly, and so is the last.",
			tries: "Move the packet size. 4,096 bytes were used in practice; see how far the unequal plan is ahead.",
			view: "packets", message: 65536, packet: 4096, on: 0,
			designs: [d("clip")],
		},
		{
			title: "Where eager ends",
			text: "A message-passing library sends short messages at once (eager), and the receiver copies them out of a buffer. For long ones it asks first (rendezvous): that costs a round trip and saves the copy. The dotted line is where this library, an invented one with round numbers, changes over. The best place is where the two costs cross.",
			tries: "Move up_to until the step in the curve is gone. β and τ of the two say where: 8 µs of asking against 0.5 µs of copying for each KiB.",
			view: "curves", quantity: "latency", from: 256, to: 1 << 18, size: 8192, on: 0,
			files: { "lecture.toml": lecture },
			designs: [d("lecture.toml")],
		},
	];

	const go = n => {
		s.tour = n;
		const { designs, title, text, tries, files, ...rest } = steps[n];
		for (const [name, toml] of Object.entries(files || {})) {
			program.add({ name, toml });
			s.files.set(name, toml);
		}
		Object.assign(s, rest);
		s.designs = designs.map(state.copy);
		page.list();
		page.settle();
		$("tour-title").focus();
	};
	const show = () => {
		$("tour").hidden = s.tour < 0;
		if (s.tour < 0) return;
		const t = steps[s.tour];
		$("tour-step").textContent = `Step ${s.tour + 1} of ${steps.length}`;
		$("tour-title").textContent = t.title;
		$("tour-text").textContent = t.text;
		$("tour-try").textContent = t.tries;
		$("tour-back").disabled = s.tour === 0;
		$("tour-next").textContent = s.tour === steps.length - 1 ? "Done" : "Next";
	};
	const end = () => { s.tour = -1; page.settle(); $("tour-start").focus(); };
	const init = () => {
		$("tour-start").addEventListener("click", () => go(0));
		$("tour-back").addEventListener("click", () => go(s.tour - 1));
		$("tour-next").addEventListener("click", () => { if (s.tour + 1 < steps.length) go(s.tour + 1); else end(); });
		$("tour-end").addEventListener("click", end);
	};
	return { init, show, steps: steps.length };
})();
