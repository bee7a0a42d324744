"use strict";
// The other pictures: timelines of pipelines, the map of algorithms, trees and rings.
const shapes = (() => {
	const { svg, html, color } = draw;

	// canvas puts an SVG into a box that is drawn again when the box's width changes.
	const canvas = (box, label, attributes = {}) => {
		const root = svg("svg", { role: "img", "aria-label": label, ...attributes });
		let paint = null;
		box.replaceChildren(root);
		const again = () => {
			if (!paint || !box.clientWidth) return;
			const w = Math.max(240, draw.room(box)), [h, ...parts] = paint(w);
			root.setAttribute("viewBox", `0 0 ${w} ${h}`);
			root.replaceChildren(...parts.flat(9).filter(Boolean));
		};
		draw.watch(box, again);
		return { root, paint: f => { paint = f; again(); } };
	};

	// timelines draws plans below each other on one axis of time: [{titles, i, stages, boxes}], each with
	// the first of its titles that has room.
	const timelines = (c, plans) => c.paint(w => {
		const stages = plans[0].stages, names = stages.map(s => draw.width(s, 11));
		const left = Math.ceil(Math.max(...names)) + 10, right = w - 12;
		const end = Math.max(...plans.map(p => p.one_way_us));
		const x = draw.linear(0, end, left, right), parts = [], row = 20;
		let top = 4;
		const total = plans.length * (26 + stages.length * row + 8);
		let grid = "";
		const ticks = draw.linearTicks(0, end, (right - left) / 80);
		for (const t of ticks) grid += `M${x.at(t).toFixed(1)} 4V${top + total}`;
		parts.push(svg("path", { class: "grid", d: grid }));
		for (const plan of plans) {
			const title = plan.titles.find(t => draw.width(t) * 1.06 < w) || plan.titles[plan.titles.length - 1];
			parts.push(svg("text", { class: "halo", x: 0, y: top + 14, "font-weight": 600 }, title));
			top += 24;
			const light = stages.map(() => ""), dark = stages.map(() => "");
			const labels = [], boxes = plan.boxes || [];
			// The row of a stage has numbers if two thirds of its boxes have room: of a few numbers, the last looks like the number of packets.
			const fits = b => x.at(b.end_us) - x.at(b.start_us) > draw.width(String(b.packet), 11) + 3;
			const room = stages.map(() => 0);
			for (const b of boxes) room[b.stage] += fits(b);
			const numbered = room.map(n => n >= plan.packets * 2 / 3);
			for (const b of boxes) {
				const a = x.at(b.start_us), z = x.at(b.end_us), y = top + b.stage * row;
				const path = `M${a.toFixed(2)} ${y}H${Math.max(a + .3, z - .3).toFixed(2)}V${y + row - 4}H${a.toFixed(2)}z`;
				if (b.packet % 2) dark[b.stage] += path; else light[b.stage] += path;
				if (numbered[b.stage] && fits(b)) labels.push(svg("text", { class: "soft", x: (a + z) / 2, y: y + row - 8, "text-anchor": "middle", fill: b.packet % 2 ? "var(--card)" : "var(--ink)" }, String(b.packet)));
			}
			stages.forEach((name, k) => {
				parts.push(svg("text", { class: "soft", x: left - 8, y: top + k * row + row - 8, "text-anchor": "end" }, name));
				parts.push(svg("path", { d: dark[k], fill: color(plan.i), "fill-opacity": .9 }), svg("path", { d: light[k], fill: color(plan.i), "fill-opacity": .38 }));
			});
			const done = x.at(plan.one_way_us);
			parts.push(labels, svg("path", { class: "cursor", d: `M${done.toFixed(1)} ${top - 4}V${top + stages.length * row}` }));
			if (!plan.boxes || !plan.boxes.length) parts.push(svg("text", { class: "soft", x: left + 4, y: top + 14 }, "too many packets to draw"));
			top += stages.length * row + 10;
		}
		parts.push(svg("path", { class: "axis", d: `M${left} ${top}H${right}` }));
		for (const t of ticks) parts.push(svg("text", { class: "soft", x: Math.min(x.at(t), w - draw.width(draw.timeLabel(t), 11) / 2 - 1), y: top + 16, "text-anchor": "middle" }, draw.timeLabel(t)));
		return [top + 24, parts];
	});

	// field draws the map of algorithms: best[rank][size] is the index of the fastest, or -1.
	const field = (c, m, chosen, then) => c.paint(w => {
		const left = 62, top = 22, bottom = 40, nx = m.ranks.length, ny = m.sizes.length;
		const cw = (w - left - 6) / nx, ch = Math.max(18, Math.min(25, 420 / ny)), h = top + ny * ch, parts = [];
		parts.push(svg("text", { x: 0, y: 14, "font-weight": 600 }, m.next < m.ranks.length ? "Fastest algorithm (being computed…)" : "Fastest algorithm"));
		const y = k => top + (ny - 1 - k) * ch;
		const labels = [];
		for (let k = 0; k < ny; k++) {
			parts.push(svg("text", { class: "soft", x: left - 6, y: y(k) + ch / 2 + 4, "text-anchor": "end" }, draw.sizeLabel(m.sizes[k])));
			for (let j = 0; j < nx; j++) {
				const a = m.best[j] ? m.best[j][k] : -1;
				const cell = svg("rect", { x: left + j * cw, y: y(k), width: Math.max(1, a >= 0 && m.best[j + 1] && m.best[j + 1][k] === a ? cw + .5 : cw - 1), height: ch - 1, onclick: () => then(j, k) }, svg("title", {}, a < 0 ? "not computed yet" : `${m.algorithms[a]}: ${m.ranks[j]} ranks, ${draw.sizeLabel(m.sizes[k])}`));
				cell.style.fill = a < 0 ? "var(--grid)" : color(m.order.indexOf(a));
				cell.style.fillOpacity = a < 0 ? 1 : .82;
				cell.style.cursor = "pointer";
				parts.push(cell);
				if (a >= 0 && (j === 0 || m.best[j - 1][k] !== a)) {
					let run = 1;
					while (j + run < nx && m.best[j + run] && m.best[j + run][k] === a) run++;
					const name = m.algorithms[a];
					if (draw.width(name, 11) + 8 < run * cw) labels.push(svg("text", { class: "soft", x: left + j * cw + 5, y: y(k) + ch / 2 + 4, fill: "var(--card)" , "pointer-events": "none" }, name));
				}
			}
		}
		m.ranks.forEach((r, j) => parts.push(svg("text", { class: "soft", x: left + (j + .5) * cw, y: h + 14, "text-anchor": "middle" }, String(r))));
		parts.push(svg("text", { class: "soft", x: (left + w) / 2, y: h + 32, "text-anchor": "middle" }, "ranks"));
		if (chosen) parts.push(svg("rect", { x: left + chosen[0] * cw - 1, y: y(chosen[1]) - 1, width: cw + 1, height: ch + 1, rx: 2, fill: "none", stroke: "var(--ink)", "stroke-width": 2.5, "pointer-events": "none" }));
		// The legend, in as many lines as it needs.
		let lx = left, ly = h + bottom + 14;
		for (const a of m.order) {
			const name = m.algorithms[a], room = draw.width(name) + 34;
			if (lx + room > w && lx > left) { lx = left; ly += 20; }
			parts.push(svg("rect", { x: lx, y: ly - 10, width: 12, height: 12, rx: 2, fill: color(m.order.indexOf(a)), "fill-opacity": .82 }), svg("text", { x: lx + 18, y: ly }, name));
			lx += room;
		}
		return [ly + 10, parts, labels];
	});

	// layout gives the ranks of a tree their places: [x in leaves, level].
	const layout = parents => {
		const children = parents.map(() => []), places = [];
		parents.forEach((p, r) => { if (p >= 0 && p !== r) children[p].push(r); });
		let leaf = 0, depth = 0;
		const order = [];
		const visit = (r, level) => {
			depth = Math.max(depth, level);
			order.push(r);
			const xs = children[r].map(c => visit(c, level + 1));
			places[r] = [xs.length ? (xs[0] + xs[xs.length - 1]) / 2 : leaf++, level];
			return places[r][0];
		};
		parents.forEach((p, r) => { if (p < 0) visit(r, 0); });
		return { places, leaves: Math.max(1, leaf), depth, order };
	};

	// schedule draws who sends to whom, and below it when: a row for each rank, time to the right.
	const schedule = (c, s) => c.paint(w => {
		const n = s.ranks, parts = [], tree = s.shape === "tree" && layout(s.parents);
		const order = tree && tree.order.length === n ? tree.order : [...Array(n).keys()];
		let h;
		const node = (x, y, r, rank, last) => {
			const g = svg("g", {}, svg("title", {}, `rank ${rank}, done after ${draw.timeLabel(s.done_us[rank] ?? 0)}`), svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r, class: "dot", stroke: last ? color(1) : color(0) }));
			if (r >= 9) g.append(svg("text", { class: "soft", x: x.toFixed(1), y: (y + 4).toFixed(1), "text-anchor": "middle" }, String(rank)));
			return g;
		};
		const slowest = s.done_us.indexOf(Math.max(...s.done_us.map(v => v ?? 0)));
		const links = (place, bend) => {
			const seen = new Set();
			return s.messages.filter(m => { const k = m.from + "," + m.to; return !seen.has(k) && seen.add(k); }).map(m => {
				const [ax, ay] = place(m.from), [bx, by] = place(m.to);
				const hot = s.messages.some(o => o.critical && o.from === m.from && o.to === m.to);
				return svg("path", { class: "line", "stroke-width": hot ? 2.5 : 1.2, stroke: hot ? color(1) : "var(--soft)", "stroke-opacity": hot ? 1 : .6, d: bend(ax, ay, bx, by) });
			});
		};
		parts.push(svg("text", { x: 0, y: 14, "font-weight": 600 }, s.shape === "tree" ? "Who sends to whom, a tree" : s.shape === "ring" ? "Who sends to whom, a ring" : "Who sends to whom"));
		if (tree) {
			const step = (w - 30) / tree.leaves, r = Math.max(3, Math.min(13, step / 2 - 1.5)), level = Math.max(44, Math.min(64, 260 / (tree.depth + 1)));
			const place = k => [15 + (tree.places[k][0] + .5) * step, 36 + tree.places[k][1] * level];
			parts.push(links(place, (ax, ay, bx, by) => `M${ax} ${ay}C${ax} ${(ay + by) / 2} ${bx} ${(ay + by) / 2} ${bx} ${by}`));
			let taken = {};
			for (let k = 0; k < n; k++) {
				const [x, y] = place(k), text = draw.timeLabel(s.done_us[k] ?? 0), half = draw.width(text, 11) / 2;
				parts.push(node(x, y, r, k, k === slowest));
				if (r >= 9 && !(taken[y] > x - half - 3) && x - half >= 0 && x + half <= w) {
					parts.push(svg("text", { class: "soft halo", x: x.toFixed(1), y: (y + r + 12).toFixed(1), "text-anchor": "middle" }, text));
					taken[y] = x + half;
				}
			}
			h = 36 + tree.depth * level + 40;
		} else {
			const radius = Math.min(w / 2 - (n <= 24 ? 74 : 30), 150), cx = w / 2, cy = radius + 46, r = Math.max(3, Math.min(12, Math.PI * radius / n - 1));
			const place = k => [cx + radius * Math.sin(2 * Math.PI * k / n), cy - radius * Math.cos(2 * Math.PI * k / n)];
			parts.push(links(place, (ax, ay, bx, by) => `M${ax.toFixed(1)} ${ay.toFixed(1)}Q${((ax + bx) / 2 * .7 + cx * .3).toFixed(1)} ${((ay + by) / 2 * .7 + cy * .3).toFixed(1)} ${bx.toFixed(1)} ${by.toFixed(1)}`));
			for (let k = 0; k < n; k++) {
				const [x, y] = place(k);
				parts.push(node(x, y, r, k, k === slowest));
				if (n <= 24) parts.push(svg("text", { class: "soft", x: (cx + (x - cx) * (1 + 26 / radius)).toFixed(1), y: (cy + (y - cy) * (1 + 24 / radius) + 4).toFixed(1), "text-anchor": x > cx + 8 ? "start" : x < cx - 8 ? "end" : "middle" }, draw.timeLabel(s.done_us[k] ?? 0)));
			}
			h = cy + radius + 34;
		}
		// When: time to the right.
		parts.push(svg("text", { x: 0, y: h + 12, "font-weight": 600 }, "When"));
		const top = h + 24, row = Math.max(6, Math.min(18, 400 / n)), left = 34, right = w - 12;
		const x = draw.linear(0, s.finish_us || 1, left, right), at = new Map(order.map((k, i) => [k, top + (i + .5) * row]));
		const ticks = draw.linearTicks(0, s.finish_us || 1, (right - left) / 80), bottom = top + n * row;
		let rails = "";
		for (const k of order) {
			rails += `M${left} ${at.get(k)}H${right}`;
			if (row >= 11 || k % 4 === 0 && row >= 6 && n <= 64) parts.push(svg("text", { class: "soft", x: left - 6, y: at.get(k) + 4, "text-anchor": "end" }, String(k)));
		}
		parts.push(svg("path", { class: "grid", d: rails + ticks.map(t => `M${x.at(t).toFixed(1)} ${top}V${bottom}`).join("") }));
		let cold = "", hot = "";
		for (const m of s.messages) {
			const d = `M${x.at(m.sent_us).toFixed(1)} ${at.get(m.from).toFixed(1)}L${x.at(m.received_us).toFixed(1)} ${at.get(m.to).toFixed(1)}`;
			if (m.critical) hot += d; else cold += d;
		}
		parts.push(svg("path", { class: "line", stroke: color(0), "stroke-width": 1.3, "stroke-opacity": .7, d: cold }), svg("path", { class: "line", stroke: color(1), "stroke-width": 2.2, d: hot }));
		parts.push(svg("path", { class: "axis", d: `M${left} ${bottom}H${right}` }), ticks.map(t => svg("text", { class: "soft", x: Math.min(x.at(t), w - draw.width(draw.timeLabel(t), 11) / 2 - 1), y: bottom + 16, "text-anchor": "middle" }, draw.timeLabel(t))));
		for (const k of order) if (s.done_us[k] !== null) parts.push(svg("circle", { cx: x.at(s.done_us[k]).toFixed(1), cy: at.get(k).toFixed(1), r: Math.min(3.5, row / 2), fill: k === slowest ? color(1) : color(0) }));
		return [bottom + 24, parts];
	});
	return { canvas, timelines, field, schedule };
})();
