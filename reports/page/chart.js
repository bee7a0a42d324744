"use strict";
// A Chart draws curves over message size, both axes logarithmic (or y linear), into an SVG of the
// box's own width, so that its letters are as large as the page's.
//
// Its data: {title, short, format, lines, bands, points, roofs, marks, switches, linear, x, from, to};
// short is a title for where the other has no room:
// lines {x, y, i}, bands {x, low, high, i, beyond}, points {x, y, low, high, i}, roofs {y, label},
// marks {x, y, label, i} (diamonds), switches {x, label, i}; i is a colour's number. Marks and
// switches with a drag(size, moving) can be moved.
class Chart {
	constructor(box, { label, ratio = .5, least = 250, most = 620, onHover, onPin, keys = true }) {
		Object.assign(this, { box, ratio, least, most, onHover, onPin, keys });
		const { svg, html } = draw;
		this.back = svg("g", {}), this.front = svg("g", {}), this.over = svg("g", {});
		this.svg = svg("svg", { role: keys ? "slider" : "img", "aria-label": label, tabindex: keys ? 0 : null }, this.back, this.front, this.over);
		this.tip = html("div", { class: "tip", hidden: true, "aria-hidden": "true" });
		box.replaceChildren(this.svg, this.tip);
		this.range = null; // of y, while a slider is held
		draw.watch(box, () => this.data && this.draw(this.data));
		if (!onPin) return;
		this.svg.addEventListener("pointermove", e => this.hover(e));
		this.svg.addEventListener("pointerleave", () => this.leave());
		this.svg.addEventListener("click", e => { this.leave(); if (!this.dragged) this.onPin(this.sizeAt(e)); });
		this.svg.addEventListener("pointerdown", e => {
			this.dragged = this.handle(e);
			if (this.dragged) this.svg.setPointerCapture(e.pointerId);
			this.dragging = this.dragged;
		});
		for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, e => {
			if (this.dragging) this.dragging(this.sizeAt(e), false);
			this.dragging = null;
		});
		this.svg.addEventListener("keydown", e => this.key(e));
	}

	draw(data) {
		this.data = data;
		const w = Math.max(240, draw.room(this.box));
		const h = Math.round(Math.max(this.least, Math.min(this.most, w * this.ratio)));
		const { svg } = draw;
		this.w = w; this.h = h;
		this.svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
		const [low, high] = this.yRange(data), format = data.format;
		const yTicks = data.linear ? draw.linearTicks(low, high, h / 55) : draw.logTicks(low, high, h / 40);
		const left = Math.ceil(Math.max(30, ...yTicks.map(v => draw.width(format(v), 11))) + 8), names = this.names(data, w), right = w - 14 - names.width, top = 30, bottom = h - (data.xTitle === "" ? 24 : 40);
		const x = draw.log(data.from, data.to, left, right);
		const y = data.linear ? draw.linear(low, high, bottom, top) : draw.log(low, high, bottom, top);
		Object.assign(this, { x, y, left, right, top, bottom });

		const labels = new draw.Labels([left, top - 2, w, bottom]);
		const ground = [w, h, right, low, high, data.from, data.to, data.title, data.linear].join();
		if (ground !== this.ground) this.axes(data, yTicks);
		this.ground = ground;

		const front = [], texts = [];
		for (const b of data.bands || []) front.push(svg("path", { class: b.beyond ? "band beyond" : "band", fill: draw.color(b.i), d: this.area(b) }));
		for (const r of data.roofs || []) {
			if (r.y < low || r.y > high) continue;
			front.push(svg("path", { class: "roof", stroke: r.i === undefined ? null : draw.color(r.i), d: `M${left} ${y.at(r.y).toFixed(1)}H${right}` }));
		}
		for (const s of data.switches || []) {
			if (s.x <= data.from || s.x >= data.to) continue;
			const p = x.at(s.x);
			front.push(svg("path", { class: "switch", stroke: draw.color(s.i), d: `M${p.toFixed(1)} ${top}V${bottom}` }));
		}
		for (const r of data.roofs || []) if (r.y >= low && r.y <= high) labels.take([left, y.at(r.y) - 1, right, y.at(r.y) + 1]);
		for (const l of [...(data.lines || []), ...(data.points || [])]) for (const box of this.placed(l, ground).boxes) labels.take(box);
		for (const p of data.points || []) p.x.forEach((v, k) => {
			if (v < data.from || v > data.to || !p.low) return;
			const px = x.at(v);
			labels.take([px - 4, this.clip(this.arm(p.y[k], p.high[k], -1).at), px + 4, this.clip(this.arm(p.y[k], p.low[k], 1).at)]);
		});
		for (const l of data.lines || []) front.push(svg("path", { class: "line", stroke: draw.color(l.i), "stroke-dasharray": l.solid ? null : draw.dash(l.i), d: this.placed(l, ground).d }));
		for (const p of data.points || []) front.push(...this.points(p));
		for (const m of data.marks || []) {
			if (!(m.x >= data.from && m.x <= data.to && m.y >= low && m.y <= high)) continue;
			const px = x.at(m.x), py = y.at(m.y);
			front.push(svg("path", { class: "dot", stroke: draw.color(m.i), d: `M${px - 5} ${py}l5 -5 5 5 -5 5z` }, m.title ? svg("title", {}, m.title) : null));
			labels.take([px - 5, py - 5, px + 5, py + 5]);
			texts.push(labels.place(m.label, [{ x: px + 9, y: py + 13 }, { x: px - 9, y: py - 7, anchor: "end" }, { x: px + 9, y: py + 28 }, { x: px - 9, y: py - 22, anchor: "end" }, { x: px + 9, y: py + 43 }, { x: px - 9, y: py + 28, anchor: "end" }], { class: "halo", fill: draw.color(m.i) }));
		}
		const named = new Map(); // switches of several designs at one place share a label
		for (const s of data.switches || []) named.set(s.x + s.label, named.has(s.x + s.label) ? { ...s, i: null } : s);
		for (const s of named.values()) {
			if (s.x <= data.from || s.x >= data.to) continue;
			const p = x.at(s.x), rows = [bottom - 8, bottom - 24, bottom - 40, top + 12, top + 28, top + 44];
			texts.push(labels.place(s.label, rows.flatMap(py => [{ x: p + 4, y: py }, { x: p - 4, y: py, anchor: "end" }]), { class: "soft halo", fill: s.i === null ? null : draw.color(s.i) }));
		}
		// Roofs that lie close together share a label.
		for (const near of this.together((data.roofs || []).filter(r => r.y >= low && r.y <= high))) {
			const above = y.at(near[near.length - 1].y) - 5, below = y.at(near[0].y) + 14;
			const spots = [above, below].flatMap(py => [{ x: left + 6, y: py }, { x: (left + right) / 2, y: py, anchor: "middle" }, { x: right - 4, y: py, anchor: "end" }]);
			texts.push(labels.place(near.map(r => r.label).join("; "), spots, { class: "soft halo" }) || near.length > 1 && labels.place(`${near.length} roofs`, spots, { class: "soft halo" }));
		}
		texts.push(...names.at(x.at(data.to), y, bottom));
		this.front.replaceChildren(...front, ...texts.filter(Boolean));
		this.pin(this.pinned);
	}

	// names places the names of the designs at the ends of their curves, if there is room on the right
	// and no name stands far from its end.
	names(data, w) {
		const none = { width: 0, at: () => [] }, { svg } = draw;
		if (!data.names || data.names.length < 2 || w < 560) return none;
		const ends = data.lines.map(l => ({ i: l.i, y: l.y[l.y.length - 1], name: data.names[l.i], to: l.x[l.x.length - 1] }));
		const width = Math.max(...ends.map(e => draw.width(e.name, 11))) + 16;
		if (ends.length < 2 || width > w * .3 || ends.some(e => !(e.y > 0) || e.to < data.to * .99)) return none;
		return { width, at: (left, y, bottom) => {
			const all = ends.map(e => ({ ...e, py: this.clip(y.at(e.y)) })).sort((a, b) => a.py - b.py);
			const step = 13, place = all.map(e => e.py);
			for (let turn = 0; turn < 40; turn++) for (let k = 1; k < place.length; k++) {
				const lack = step - (place[k] - place[k - 1]);
				if (lack > 0) { place[k - 1] -= lack / 2; place[k] += lack / 2; }
			}
			const low = place[place.length - 1] - bottom;
			return all.flatMap((e, k) => {
				const py = place[k] - Math.max(0, low);
				return [svg("path", { class: "switch", stroke: draw.color(e.i), d: `M${left + 1} ${e.py.toFixed(1)}L${left + 9} ${py.toFixed(1)}`, "stroke-dasharray": "none" }),
					svg("text", { class: "soft", fill: draw.color(e.i), x: left + 11, y: (py + 4).toFixed(1) }, e.name)];
			});
		} };
	}
	// axes draws the axes and other parts that stay while a slider moves.
	axes(data, yTicks) {
		const { x, y, w, h, left, right, top, bottom } = this, { svg, sizeLabel } = draw, back = [];
		let grid = "";
		for (const v of yTicks) {
			grid += `M${left} ${y.at(v).toFixed(1)}H${right}`;
			back.push(svg("text", { class: "soft", x: left - 6, y: y.at(v) + 4, "text-anchor": "end" }, data.format(v)));
		}
		for (const v of draw.sizeTicks(data.from, data.to, (right - left) / 58)) {
			const p = x.at(v);
			grid += `M${p.toFixed(1)} ${top}V${bottom}`;
			back.push(svg("text", { class: "soft", x: Math.min(p, w - draw.width(sizeLabel(v), 11) / 2), y: bottom + 16, "text-anchor": "middle" }, sizeLabel(v)));
		}
		back.unshift(svg("path", { class: "grid", d: grid }));
		back.push(svg("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }));
		back.push(svg("text", { x: 0, y: 14, "font-weight": 600 }, data.short && data.title.length * 7 > w ? data.short : data.title));
		if (data.xTitle !== "") back.push(svg("text", { class: "soft", x: (left + right) / 2, y: h - 5, "text-anchor": "middle" }, data.xTitle || "message size"));
		this.back.replaceChildren(...back);
	}
	together(roofs) {
		const groups = [];
		for (const r of [...roofs].sort((a, b) => a.y - b.y)) {
			const last = groups[groups.length - 1];
			if (last && Math.abs(this.y.at(r.y) - this.y.at(last[last.length - 1].y)) < 16) last.push(r);
			else groups.push([r]);
		}
		return groups;
	}
	yRange(data) {
		let low = Infinity, high = -Infinity;
		const see = v => { if (typeof v === "number" && Number.isFinite(v) && (data.linear || v > 0)) { if (v < low) low = v; if (v > high) high = v; } };
		for (const l of data.lines || []) l.y.forEach((v, k) => { if (l.x[k] >= data.from && l.x[k] <= data.to) see(v); });
		for (const p of data.points || []) p.y.forEach((v, k) => { if (p.x[k] >= data.from && p.x[k] <= data.to) see(v); });
		if (data.y) [low, high] = data.y;
		if (low > high) [low, high] = [1, 10];
		for (const r of data.roofs || []) if (r.y > high && r.y < high * 2.5) high = r.y;
		if (data.linear) {
			const most = Math.max(Math.abs(low), Math.abs(high)) * 1.1 || 1;
			return data.symmetric ? [-most, most] : [Math.min(0, low), high * 1.08];
		}
		let range = draw.nice(low * .98, high * 1.04);
		if (range[1] / range[0] < 4) range = [range[0] / 2, range[1]];
		if (this.held && this.range) range = [Math.min(range[0], this.range[0]), Math.max(range[1], this.range[1])];
		this.range = range;
		return range;
	}

	// placed returns the path and the boxes of a line's points, which stay if it and the axes do: of
	// several designs, a slider moves one.
	placed(l, ground) {
		if (l.placed && l.placed.ground === ground) return l.placed;
		const { x, y, data } = this, boxes = [];
		l.x.forEach((v, k) => {
			if (v < data.from || v > data.to || !(l.y[k] > 0 || data.linear)) return;
			const px = x.at(v), py = this.clip(y.at(l.y[k]));
			boxes.push([px - 3, py - 3, px + 3, py + 3]);
		});
		return l.placed = { ground, boxes, d: this.path(l) };
	}
	path(l) {
		const { x, y } = this, { from, to, linear } = this.data;
		let d = "", open = false;
		for (let k = 0; k < l.x.length; k++) {
			const v = l.y[k];
			if (v === null || !(linear || v > 0) || l.x[k] < from * .999 || l.x[k] > to * 1.001) { open = false; continue; }
			d += (open ? "L" : "M") + x.at(l.x[k]).toFixed(1) + " " + this.clip(y.at(v)).toFixed(1);
			open = true;
		}
		return d;
	}
	clip(p) { return Math.max(this.top, Math.min(this.bottom, p)); }
	area(b) {
		const up = [], down = [];
		b.x.forEach((v, k) => {
			if (b.low[k] === null || b.high[k] === null || v < this.data.from || v > this.data.to) return;
			const px = this.x.at(v).toFixed(1), at = q => q > 0 || this.data.linear ? this.clip(this.y.at(q)).toFixed(1) : this.bottom;
			up.push(px + " " + at(b.high[k]));
			down.unshift(px + " " + at(b.low[k]));
		});
		return up.length ? "M" + up.join("L") + "L" + down.join("L") + "z" : "";
	}
	// arm returns the end of an error bar of y, and whether it has a cap. Towards a bound that the axis
	// cannot show, 0 or none, it is short: an arm up to the edge would be read as a line.
	arm(y, bound, down) {
		const cap = typeof bound === "number" && (bound > 0 || this.data.linear);
		return { at: cap ? this.y.at(bound) : this.y.at(y) + 14 * down, cap };
	}
	points(p) {
		const bars = [], dots = [];
		p.x.forEach((v, k) => {
			if (v < this.data.from || v > this.data.to || !(this.data.linear || p.y[k] > 0)) return;
			const px = this.x.at(v), low = p.low && p.low[k], high = p.high && p.high[k];
			if (typeof low === "number" || typeof high === "number") {
				const a = this.arm(p.y[k], low, 1), b = this.arm(p.y[k], high, -1);
				bars.push(`M${px.toFixed(1)} ${this.clip(a.at).toFixed(1)}V${this.clip(b.at).toFixed(1)}`);
				for (const { at, cap } of [a, b]) if (cap && this.clip(at) === at) bars.push(`M${(px - 3).toFixed(1)} ${at.toFixed(1)}h6`);
			}
			dots.push(`M${(px - 3).toFixed(1)} ${this.clip(this.y.at(p.y[k])).toFixed(1)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`);
		});
		return [draw.svg("path", { class: "bar", stroke: draw.color(p.i), d: bars.join("") }), draw.svg("path", { class: "dot", stroke: draw.color(p.i), d: dots.join(""), "stroke-width": 1.5 })];
	}

	// pin draws the chosen size: {size, values: [{y, i}], text}.
	pin(pinned) {
		this.pinned = pinned;
		if (!this.x) return;
		const parts = [];
		if (pinned && pinned.size >= this.x.from && pinned.size <= this.x.to) {
			const p = this.x.at(pinned.size).toFixed(1);
			parts.push(draw.svg("path", { class: "cursor", d: `M${p} ${this.top}V${this.bottom}` }));
			for (const v of pinned.values)
				if (v.y > 0 || this.data.linear) parts.push(draw.svg("circle", { class: "dot", stroke: draw.color(v.i), cx: p, cy: this.clip(this.y.at(v.y)).toFixed(1), r: 4.5 }));
		}
		this.over.replaceChildren(...parts);
		if (pinned && this.keys) {
			this.svg.setAttribute("aria-valuenow", pinned.size);
			this.svg.setAttribute("aria-valuemin", this.data.from);
			this.svg.setAttribute("aria-valuemax", this.data.to);
			this.svg.setAttribute("aria-valuetext", pinned.text);
		}
	}

	// handle is the drag of a mark or switch under the pointer.
	handle(e) {
		if (!this.x) return null;
		const r = this.svg.getBoundingClientRect(), px = (e.clientX - r.left) / r.width * this.w, py = (e.clientY - r.top) / r.height * this.h;
		const reach = e.pointerType === "touch" ? 16 : 7, near = m => Math.abs(this.x.at(m.x) - px) < reach;
		const found = (this.data.marks || []).find(m => m.drag && near(m) && Math.abs(this.y.at(m.y) - py) < reach + 3) || (this.data.switches || []).find(m => m.drag && near(m) && py > this.top);
		return found ? found.drag : null;
	}
	sizeAt(e) {
		const r = this.svg.getBoundingClientRect(), p = (e.clientX - r.left) / r.width * this.w;
		const v = this.x.back(Math.max(this.left, Math.min(this.right, p)));
		const power = 2 ** Math.round(Math.log2(v));
		return Math.abs(this.x.at(power) - p) < 5 ? power : Math.max(1, Math.round(v));
	}
	hover(e) {
		if (!this.x) return;
		const size = this.sizeAt(e);
		if (this.dragging) { this.leave(); this.dragging(size, true); return; }
		if (e.pointerType === "touch") return;
		this.svg.style.cursor = this.handle(e) ? "ew-resize" : "";
		const shown = this.onHover(size); // {head, rows: [{i, name, text, y}]}
		if (!shown) return;
		const { html, svg } = draw, p = this.x.at(size);
		this.leave();
		this.mark = svg("g", {}, svg("path", { class: "hover", d: `M${p.toFixed(1)} ${this.top}V${this.bottom}` }),
			shown.rows.filter(r => r.y > 0 || this.data.linear).map(r => svg("circle", { class: "dot", stroke: draw.color(r.i), cx: p.toFixed(1), cy: this.clip(this.y.at(r.y)).toFixed(1), r: 3.5 })));
		this.svg.append(this.mark);
		this.tip.replaceChildren(html("b", {}, shown.head), ...shown.rows.map(r => {
			const spot = html("i");
			spot.style.background = draw.color(r.i);
			return html("div", {}, spot, html("span", {}, r.name), html("em", {}, r.text));
		}));
		this.tip.hidden = false;
		const scale = this.svg.clientWidth / this.w || 1, room = this.box.clientWidth - this.tip.offsetWidth;
		const x = p * scale + 14 > room ? p * scale - 14 - this.tip.offsetWidth : p * scale + 14;
		this.tip.style.left = Math.max(0, Math.min(room, x)) + "px";
		const r = this.svg.getBoundingClientRect();
		this.tip.style.top = Math.max(0, Math.min(r.height - this.tip.offsetHeight - 4, e.clientY - r.top + 14)) + "px";
	}
	leave() {
		this.tip.hidden = true;
		if (this.mark) this.mark.remove();
		this.mark = null;
	}
	key(e) {
		if (!this.pinned || e.altKey || e.ctrlKey || e.metaKey) return;
		const { from, to } = this.data, fine = e.shiftKey, s = this.pinned.size, near = Math.log2(s);
		const next = {
			ArrowRight: fine ? Math.ceil(s * 1.02) : 2 ** (Math.floor(near + 1e-9) + 1), ArrowUp: fine ? s + 1 : 2 ** (Math.floor(near + 1e-9) + 1),
			ArrowLeft: fine ? Math.floor(s / 1.02) : 2 ** (Math.ceil(near - 1e-9) - 1), ArrowDown: fine ? s - 1 : 2 ** (Math.ceil(near - 1e-9) - 1),
			PageUp: s * 16, PageDown: s / 16, Home: from, End: to,
		}[e.key];
		if (next === undefined) return;
		e.preventDefault();
		this.onPin(Math.round(Math.max(from, Math.min(to, next))));
	}
}
