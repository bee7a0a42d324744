"use strict";
// The view of curves: charts of the quantities, and the values of all designs at one size.
const curves = (() => {
	const { s } = state;
	const titles = { latency: "One-way time", bandwidth: "Bandwidth", gap: "Gap between messages", throughput: "Throughput", four: "All four" };
	const short = { ...titles, latency: "One way", gap: "Gap" };
	const heads = { latency: "one way", bandwidth: "bandwidth", gap: "gap", throughput: "throughput" };
	const keys = { latency: "one_way_us", bandwidth: "bandwidth_mb_s", gap: "gap_us", throughput: "throughput_mb_s" };
	// The times of a stream are its gaps: a row without the first quantity shows the second.
	const ofStream = { latency: "gap", bandwidth: "throughput" };
	const shownIn = (row, q) => row[keys[q]] != null || !ofStream[q] ? q : ofStream[q];
	const valueIn = (row, q) => row[keys[shownIn(row, q)]];
	// titleOf returns a chart's title: the axis of a figure of streams alone names their quantity, with
	// its unit in brackets.
	const titleOf = figure => {
		const [quantity] = figure.y.label.split(" (");
		return titles[quantity === "one-way time" ? "latency" : quantity];
	};
	const format = q => q === "latency" || q === "gap" ? draw.timeLabel : draw.rateLabel;
	const $ = id => document.getElementById(id);
	let charts = new Map(), rows = null, laid = "", names = [], samples = 0;

	const shown = () => s.quantity === "four" ? ["bandwidth", "latency", "gap", "throughput"] : [s.quantity];
	// The grid of about 200 sizes. The program adds every size at which a curve changes.
	const grid = () => `${draw.sizeText(s.from)}..${draw.sizeText(s.to)}/${Math.max(1, Math.min(64, Math.round(240 / Math.log2(s.to / s.from))))}`;

	const init = pin => {
		for (const q of state.quantities) {
			const input = draw.html("input", { type: "radio", name: "quantity", value: q, onchange: () => { s.quantity = q; page.settle(); } });
			$("quantity").append(draw.html("label", {}, input, draw.html("span", {}, short[q])));
		}
		curves.pin = pin;
		$("ratio").addEventListener("change", e => { s.ratio = e.target.checked; page.settle(); });
	};
	// Ratios compare with the first design or, of a single design, with its platform unchanged.
	const compares = () => s.designs.length > 1 || s.designs[0].set.size > 0;
	const ratios = () => s.ratio && compares();
	// divided returns a line over another one, which is straight between its points on both axes.
	const divided = (line, by) => {
		let k = 0;
		return { ...line, y: line.x.map((v, j) => {
			while (k < by.x.length - 2 && by.x[k + 1] < v) k++;
			const [a, b] = [by.x[k], by.x[k + 1]], part = b > a ? Math.min(1, Math.max(0, Math.log(v / a) / Math.log(b / a))) : 0;
			return line.y[j] / (by.y[k] * (by.y[k + 1] / by.y[k]) ** part);
		}) };
	};
	const ratioData = data => {
		const base = data.lines[0];
		const lines = data.lines.filter(l => l !== base || s.designs.length > 1).map(l => divided(l, base));
		const over = s.designs.length > 1 ? names[0] : "before";
		// Beside a design that is a hundred times faster, a line from 0 shows no other change.
		const all = lines.flatMap(l => l.y).filter(v => v > 0), linear = Math.max(...all) < 10 * Math.min(...all);
		return { ...data, title: `${data.title}, against ${over}`, short: `${data.title}, as a ratio`, format: v => `${Number(v.toPrecision(3))}×`, linear, lines, bands: [], points: [], roofs: [{ y: 1, label: "" }], marks: [] };
	};
	const lay = () => {
		if (laid === s.quantity) return;
		laid = s.quantity;
		charts = new Map();
		$("charts").classList.toggle("four", s.quantity === "four");
		$("charts").replaceChildren(...shown().map(q => {
			const box = draw.html("div", { class: "canvas" });
			charts.set(q, new Chart(box, { label: `${titles[q]} against message size; the arrow keys move the size`, ratio: s.quantity === "four" ? .62 : .52, onHover: size => hover(q, size), onPin: size => curves.pin(size) }));
			return box;
		}));
	};

	// once leaves out the measurements of a layer that an earlier design has too.
	const once = series => series.filter((f, k) => !series.slice(0, k).some(o => o.x.length === f.x.length && o.x.every((v, j) => v === f.x[j] && o.y[j] === f.y[j])));
	// chartData converts a figure of the program to the data of a chart.
	const chartData = (figure, q) => {
		const index = name => Math.max(0, names.indexOf(name));
		const kind = (...kinds) => figure.series.filter(f => kinds.includes(f.kind));
		const marks = k => (figure.marks || []).filter(m => m.kind === k);
		const i = m => index(m.series);
		return {
			title: titleOf(figure), format: format(q), from: s.from, to: s.to, names,
			lines: kind("line").map(f => ({ x: f.x, y: f.y, i: index(f.name) })),
			bands: kind("band", "beyond").map(f => ({ x: f.x, low: f.low, high: f.high, i: index(f.name), beyond: f.kind === "beyond" })),
			points: once(kind("points")).map(f => ({ x: f.x, y: f.y, low: f.low, high: f.high, i: index(f.name) })),
			roofs: marks("y").map(m => ({ y: m.y, label: m.label, i: i(m) })),
			switches: marks("x").map(m => ({ x: m.x, label: m.label, i: i(m), drag: i(m) === s.on ? page.threshold(m.x) : null })),
			marks: q === "gap" || q === "throughput" ? [] : marks("point").map(m => ({ x: m.x, y: m.y, label: m.label, i: i(m), title: terms["n½"], drag: i(m) === s.on ? page.half : null })),
		};
	};

	// draw redraws the view; while a slider moves (moving), only its lines and values.
	const drawView = (moving, requests, labels) => {
		names = labels;
		lay();
		const notes = new Set();
		for (const [q, chart] of charts) {
			if (moving && chart.data && !ratios()) {
				// The other designs stay as they are: one line is asked for and replaced.
				const figure = program.ask("curves", { designs: [requests[s.on]], quantity: q, sizes: grid(), plain: true });
				const stays = of => of.filter(l => l.i !== s.on), old = chart.data;
				const lines = [...stays(old.lines), ...chartData(figure, q).lines].sort((a, b) => a.i - b.i);
				chart.held = true;
				chart.draw({ ...old, lines, bands: stays(old.bands), marks: stays(old.marks), switches: stays(old.switches) });
				continue;
			}
			const asked = ratios() && requests.length === 1 ? [{ ref: requests[0].ref, set: [], name: "unchanged" }, ...requests] : requests;
			const figure = program.ask("curves", { designs: asked, quantity: q, sizes: grid(), plain: moving || ratios() });
			let data = chartData(figure, q);
			if (ratios() && data.lines.length > 1) data = ratioData(data);
			chart.held = false;
			chart.draw(data);
			for (const n of figure.notes || []) notes.add(n);
		}
		values(requests, moving);
		if (!moving) {
			$("curve-notes").replaceChildren(...[...notes].map(n => draw.html("li", {}, n)));
			for (const input of $("quantity").querySelectorAll("input")) input.checked = input.value === s.quantity;
			$("ratio-field").hidden = !compares();
			$("ratio").checked = s.ratio;
			$("ratio-text").textContent = s.designs.length > 1 ? "as a ratio to the first" : "as a ratio to before";
			clearTimeout(samples);
			if (!ratios()) samples = setTimeout(() => bands(requests), 300);
		}
	};
	// bands adds the interval that follows from the parameters' intervals, when nothing moves.
	const bands = requests => {
		for (const [q, chart] of charts) {
			const figure = program.ask("curves", { designs: requests, quantity: q, sizes: grid(), samples: 200 });
			if (figure.series.some(f => f.kind === "band" || f.kind === "beyond")) chart.draw(chartData(figure, q));
		}
	};

	const predict = (requests, size) => {
		const t = program.ask("predict", { designs: requests, sizes: draw.sizeText(size) });
		return { ...t, rows: typeof t.rows === "string" ? JSON.parse(t.rows) : t.rows };
	};
	// cellOf returns the cell of a quantity in a row. A table has no column of gaps if no design has a gap.
	const cellOf = (table, q, i) => {
		const j = table.heads.indexOf(heads[shownIn(table.rows[i], q)]);
		return j < 0 ? "–" : table.cells[i][j];
	};
	const change = v => `${v < 0 ? "−" : "+"}${Math.abs(v * 100) < 1000 ? Math.abs(v * 100).toFixed(1) : Math.round(Math.abs(v * 100))} %`;
	// values shows all designs at one size. While a slider moves, only its design is asked for, unless
	// the columns change.
	const values = (requests, moving) => {
		const asked = [s.size, s.on, s.view, ...requests.map(r => r.name)].join(), one = moving && rows && rows.asked === asked ? predict([requests[s.on]], s.size) : null;
		if (one && one.heads.join() === rows.heads.join()) {
			rows.rows[s.on] = one.rows[0];
			rows.cells[s.on] = one.cells[0];
		} else rows = { ...predict(requests, s.size), asked };
		const size = rows.cells[0][rows.heads.indexOf("size")];
		const columns = rows.heads.map((head, j) => ({ head, text: !rows.numeric[j], cell: row => row.cells[j] })).filter(c => !["platform", "layer", "size"].includes(c.head));
		columns.unshift({ head: "design", text: true, cell: (_, i) => names[i] });
		if (rows.rows.length > 1) {
			const time = i => valueIn(rows.rows[i], "latency"), first = time(0);
			const at = columns.findIndex(c => c.head === heads[shownIn(rows.rows[0], "latency")]);
			columns.splice(at + 1, 0, { head: "against the first", cell: (_, i) => i === 0 || !(first > 0) ? "" : change(time(i) / first - 1) });
		}
		draw.table($("values"), `At ${size}`, columns, rows.cells.map(cells => ({ cells })), (_, i) => i === s.on ? { "data-on": "" } : {});
		for (const [q, chart] of charts) {
			chart.pin({ size: s.size, text: `${size}: ` + rows.rows.map((_, i) => `${names[i]} ${cellOf(rows, q, i)}`).join("; "), values: ratios() ? [] : rows.rows.map((r, i) => ({ y: valueIn(r, q), i })) });
		}
	};
	const hover = (q, size) => {
		const t = predict(state.requests(), size);
		return { head: t.cells[0][t.heads.indexOf("size")], rows: t.rows.map((r, i) => ({ i, name: names[i], text: cellOf(t, q, i), y: ratios() ? 0 : valueIn(r, q) })) };
	};
	// spoken returns the text for a screen reader after a change.
	const spoken = () => {
		if (!rows) return "";
		const row = rows.rows[s.on], say = q => `${heads[shownIn(row, q)]} ${cellOf(rows, q, s.on)}`;
		return `${names[s.on]} at ${rows.cells[s.on][rows.heads.indexOf("size")]}: ${say("latency")}, ${say("bandwidth")}`;
	};
	const picture = () => ({ boxes: [...charts.values()].map(c => c.box), name: s.quantity });
	const question = () => ["curves", { designs: state.requests(), quantity: s.quantity === "four" ? "bandwidth" : s.quantity, sizes: grid() }];
	// commands returns the questions whose commands give the table and the picture.
	const commands = () => [["predict", { designs: state.requests(), sizes: draw.sizeText(s.size) }], question()];
	return { init, draw: drawView, spoken, picture, question, commands };
})();
