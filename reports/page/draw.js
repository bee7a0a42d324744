"use strict";
// Elements, scales, ticks and labels of all pictures of the page. Text reaches the page by text nodes
// alone, so that no name of a platform can be markup.
const draw = (() => {
	const NS = "http://www.w3.org/2000/svg";
	const set = (e, attributes) => {
		for (const [k, v] of Object.entries(attributes || {})) {
			if (v === undefined || v === null || v === false) continue;
			if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
			else if (k === "color") e.style.color = v;
			else if (k === "fill" || k === "stroke") e.style[k] = v; // var() is for styles only
			else e.setAttribute(k, v === true ? "" : v);
		}
	};
	const make = create => (name, attributes, ...children) => {
		const e = create(name);
		set(e, attributes);
		e.append(...children.flat().filter(c => c !== null && c !== undefined));
		return e;
	};
	// svg("path", {d}) and html("td", {class}, "text") make elements.
	const svg = make(name => document.createElementNS(NS, name));
	const html = make(name => document.createElement(name));

	const color = i => `var(--c${i % 8})`;
	const dashes = ["", "8 4", "2 3", "9 3 2 3", "14 4", "5 3", "9 3 2 3 2 3", "1.5 4"];
	const dash = i => dashes[(i + Math.floor(i / 8)) % 8] || null;

	const log = (from, to, a, b) => {
		const f = Math.log(from), d = Math.log(to) - f;
		return { from, to, at: v => a + (Math.log(v) - f) / d * (b - a), back: p => Math.exp(f + (p - a) / (b - a) * d) };
	};
	const linear = (from, to, a, b) => ({ from, to, at: v => a + (v - from) / (to - from) * (b - a), back: p => from + (p - a) / (b - a) * (to - from) });

	const clean = v => String(Number(v.toPrecision(3))).replace("-", "−");
	// The labels of axes. The models' own program prints predictions.
	const sizeLabel = v => {
		for (const [unit, n] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
			if (v >= n) return clean(v / n) + "\u00a0" + unit;
		return clean(v) + "\u00a0B";
	};
	// sizeText writes a size exactly, as the program and the command line read it.
	const sizeText = v => {
		for (const [unit, n] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
			if (v >= n && v % n === 0) return v / n + unit;
		return v + "B";
	};
	const timeLabel = v => v === 0 ? "0" : v >= 1e6 ? clean(v / 1e6) + "\u00a0s" : v >= 1e3 ? clean(v / 1e3) + "\u00a0ms" : v >= 1 ? clean(v) + "\u00a0µs" : clean(v * 1e3) + "\u00a0ns";
	const rateLabel = v => v >= 1e3 ? clean(v / 1e3) + "\u00a0GB/s" : v >= 1 ? clean(v) + "\u00a0MB/s" : clean(v * 1e3) + "\u00a0kB/s";
	const percentLabel = v => clean(v) + "\u00a0%";

	// Ticks of sizes: powers of two, as many as have room.
	const sizeTicks = (from, to, room) => {
		const a = Math.ceil(Math.log2(from) - 1e-9), b = Math.floor(Math.log2(to) + 1e-9), all = [];
		const step = [1, 2, 3, 5, 10].find(s => (b - a) / s + 1 <= room) || 10;
		for (let k = Math.ceil(a / step) * step; k <= b; k += step) all.push(2 ** k);
		return all;
	};
	const logTicks = (from, to, room) => {
		const decades = Math.log10(to / from), all = [];
		const factors = decades * 9 <= room * 1.4 ? [1, 2, 3, 4, 5, 6, 7, 8] : decades * 3 <= room ? [1, 2, 5] : [1];
		const skip = factors.length === 1 ? Math.max(1, Math.ceil(decades / room)) : 1;
		for (let k = Math.floor(Math.log10(from)); k <= Math.log10(to) + 1e-9; k++) {
			if (((k % skip) + skip) % skip) continue;
			for (const f of factors) {
				const v = Number(`${f}e${k}`);
				if (v >= from * (1 - 1e-9) && v <= to * (1 + 1e-9)) all.push(v);
			}
		}
		return all;
	};
	const linearTicks = (from, to, room) => {
		const raw = (to - from) / Math.max(1, room), p = 10 ** Math.floor(Math.log10(raw));
		const step = [1, 2, 5, 10].map(f => f * p).find(s => s >= raw), all = [];
		for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) all.push(i * step);
		return all;
	};
	// nice widens a range to the next 1, 2 or 5.
	const nice = (low, high) => {
		const down = v => { const p = 10 ** Math.floor(Math.log10(v)), m = v / p; return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * p; };
		const up = v => { const p = 10 ** Math.floor(Math.log10(v)), m = v / p; return (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * p; };
		return [down(low), up(high)];
	};

	const pen = document.createElement("canvas").getContext("2d");
	const widths = new Map(); // by text: measuring is slow, and most labels stay while a slider moves
	const width = (text, px = 12) => {
		const key = px + text, known = widths.get(key);
		if (known !== undefined) return known;
		if (widths.size > 5000) widths.clear();
		pen.font = `${px}px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif`;
		const w = pen.measureText(text).width;
		widths.set(key, w);
		return w;
	};
	// Labels remembers the places that are taken, and finds the first free one of several.
	class Labels {
		constructor(bounds) { this.bounds = bounds; this.taken = []; }
		take(box) { this.taken.push(box); }
		place(text, places, attributes = {}) {
			const px = attributes.class && /soft/.test(attributes.class) ? 11 : 12, w = width(text, px), [l, t, r, b] = this.bounds;
			for (const { x, y, anchor = "start" } of places) {
				const left = anchor === "start" ? x : anchor === "end" ? x - w : x - w / 2;
				const box = [left - 2, y - px, left + w + 2, y + 3];
				if (box[0] < l || box[2] > r || box[1] < t || box[3] > b) continue;
				if (this.taken.some(o => o[0] < box[2] && box[0] < o[2] && o[1] < box[3] && box[1] < o[3])) continue;
				this.take(box);
				return svg("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, ...attributes }, text);
			}
			return null;
		}
	}
	// table fills a table's head and body: columns are {head, text, cell(row)}. A table with the same
	// columns and attributes as before keeps its elements, of which only the texts change.
	const table = (element, caption, columns, rows, attributes = () => ({})) => {
		if (caption !== null && element.caption.textContent !== caption) element.caption.textContent = caption;
		const cells = rows.map((row, i) => columns.map(c => c.cell(row, i) ?? "–"));
		const texts = cells.every(row => row.every(c => typeof c === "string"));
		const given = rows.map((row, i) => attributes(row, i)), calls = given.some(a => Object.values(a).some(v => typeof v === "function"));
		const shape = texts && !calls ? JSON.stringify([columns.map(c => [c.head, c.text]), given]) : "";
		const body = element.tBodies[0].rows;
		if (shape && element.shape === shape && body.length === rows.length) {
			cells.forEach((row, i) => row.forEach((c, j) => { if (body[i].cells[j].textContent !== c) body[i].cells[j].textContent = c; }));
			return;
		}
		element.shape = shape;
		element.tHead.replaceChildren(html("tr", {}, columns.map(c => html("th", { scope: "col", class: c.text ? "text" : null }, terms[c.head] ? html("span", { class: "term", tabindex: 0, role: "button", "data-explain": terms[c.head] }, c.head) : c.head))));
		element.tBodies[0].replaceChildren(...rows.map((row, i) => html("tr", given[i],
			columns.map((c, j) => html(j ? "td" : "th", { scope: j ? null : "row", class: c.text ? "text" : null }, cells[i][j])))));
	};
	const swatch = i => { const e = html("span", { class: "swatch", "aria-hidden": "true" }); e.style.background = color(i); return e; };
	// room is the width of an element in letters' units: on large screens a letter is more than 16 px.
	const room = element => element.clientWidth / (parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1);
	// watch calls back with the width of an element, now and whenever it changes.
	const watch = (element, then) => new ResizeObserver(() => { if (element.clientWidth) then(element.clientWidth); }).observe(element);
	return { svg, html, color, dash, log, linear, sizeLabel, sizeText, timeLabel, rateLabel, percentLabel, sizeTicks, logTicks, linearTicks, nice, width, Labels, table, swatch, room, watch };
})();
