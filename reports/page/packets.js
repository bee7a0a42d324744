"use strict";
// The view of a pipeline, packet by packet: the chosen packets, the best equal packets, and the best
// plan of unequal packets, on one axis of time.
const packets = (() => {
	const { s } = state, $ = id => document.getElementById(id), steps = 1000;
	let chart, lines, answer = null;
	const least = 16;
	const place = v => Math.log(v / least) / Math.log(s.message / least) * steps;
	const at = t => Math.round(least * (s.message / least) ** (t / steps));

	const init = () => {
		chart = new Chart($("packet-curve"), { label: "One-way time against packet size; the arrow keys move the packet size", ratio: .36, least: 200, most: 380, onHover: () => null, onPin: size => choose(size, false) });
		lines = shapes.canvas($("timeline"), "Timelines of the packets");
		const choose = (size, moving) => { s.packet = Math.max(1, Math.min(s.message, size)); page.update(moving); };
		$("packet-slider").addEventListener("input", e => choose(at(Number(e.target.value)), true));
		$("packet-slider").addEventListener("change", e => choose(at(Number(e.target.value)), false));
		$("packet-bytes").addEventListener("change", e => page.readSize(e.target, $("packet-error"), v => choose(v, false)));
		$("packet-size").addEventListener("change", e => page.readSize(e.target, $("packet-error"), v => { s.message = v; s.packet = null; page.settle(); }));
		$("packet-best").addEventListener("click", () => { if (answer) choose(answer.best.packet_bytes, false); });
	};

	const drawView = moving => {
		const request = { ...state.request(), size: draw.sizeText(s.message) };
		if (s.packet) request.packet = draw.sizeText(s.packet);
		try {
			answer = moving && answer ? { ...answer, now: program.ask("pipeline", { ...request, plain: true }).now } : program.ask("pipeline", request);
		} catch (e) {
			answer = null;
			$("packet-none").textContent = e.message;
		}
		$("packet-none").hidden = answer !== null;
		for (const id of ["packet-body", "packet-field", "packet-bytes-field", "packet-best"]) $(id).hidden = answer === null;
		if (document.activeElement !== $("packet-size")) $("packet-size").value = draw.sizeText(s.message);
		if (!answer) return;
		const { now, best, plan, packet, cuts } = answer;
		const size = draw.sizeLabel(answer.size_bytes), bytes = v => v + " B";
		if (document.activeElement !== $("packet-bytes")) $("packet-bytes").value = now.packet_bytes + " B";
		if (at(Number($("packet-slider").value)) !== now.packet_bytes) $("packet-slider").value = Math.round(place(now.packet_bytes));
		$("packet-slider").setAttribute("aria-valuetext", `${now.packet_bytes} B: ${now.text}`);
		$("packet-slider").setAttribute("aria-label", "Packet size");
		shapes.timelines(lines, [
			{ ...now, i: 0, titles: [`${now.packets} × ${bytes(now.packet_bytes)}: ${now.text}`] },
			{ ...best, i: 2, titles: [`Best equal packets, ${best.packets} × ${bytes(best.packet_bytes)}: ${best.text}`, `Best equal: ${best.text}`] },
			{ ...plan, i: 3, titles: [`Best unequal packets, ${plan.packets} of up to ${bytes(plan.packet_bytes)}: ${plan.text}`, `Best unequal: ${plan.text}`] },
		]);
		lines.root.setAttribute("aria-label", `Timelines: ${now.packets} packets of ${now.packet_bytes} B take ${now.text}; the best equal packets, ${best.packet_bytes} B, ${best.text}; the best unequal ones ${plan.text}`);
		const series = packet.series.filter(f => f.kind === "line"), xs = series[0].x;
		chart.held = moving;
		chart.draw({
			title: "One-way time", xTitle: "packet size", format: draw.timeLabel, from: xs[0], to: xs[xs.length - 1],
			lines: series.map(f => ({ x: f.x, y: f.y, i: 0 })),
			marks: [{ x: best.packet_bytes, y: best.one_way_us, label: `best: ${best.packet_bytes} B`, i: 2 }],
			roofs: [{ y: plan.one_way_us, label: `unequal packets: ${plan.text}` }],
		});
		chart.pin({ size: now.packet_bytes, values: [{ y: now.one_way_us, i: 0 }], text: `${now.packet_bytes} B: ${now.text}` });
		if (!moving) {
			const columns = cuts.heads.map((head, j) => ({ head, text: !cuts.numeric[j], cell: row => row[j] })).filter(c => !["platform", "layer", "size"].includes(c.head));
			draw.table($("packet-table"), `Ways to cut ${size}`, columns, cuts.cells);
		}
	};
	const spoken = () => answer ? `${answer.now.packets} packets of ${answer.now.packet_bytes} bytes: ${answer.now.text}` : "";
	const picture = () => ({ boxes: [$("timeline"), $("packet-curve")], name: "packets" });
	// Without a pipeline, the command predicts the message whole.
	const question = () => !answer ? ["predict", { designs: [state.request()], sizes: draw.sizeText(s.message) }] : ["pipeline", { ...state.request(), size: draw.sizeText(s.message), ...(s.packet ? { packet: draw.sizeText(s.packet) } : {}) }];
	return { init, draw: drawView, spoken, picture, question };
})();
