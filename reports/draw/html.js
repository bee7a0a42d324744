"use strict";
(() => {
	// The scheme: the system's, until the reader chooses.
	const root = document.documentElement, button = document.getElementById("scheme");
	const system = matchMedia("(prefers-color-scheme: dark)");
	const store = {
		get() { try { return localStorage.getItem("halfpeak-scheme"); } catch { return null; } },
		set(v) { try { localStorage.setItem("halfpeak-scheme", v); } catch { /* a file need not have storage */ } },
	};
	const isDark = () => (root.dataset.scheme || (system.matches ? "dark" : "light")) === "dark";
	const label = () => { button.textContent = isDark() ? "☀ Light" : "☾ Dark"; button.title = "Change the colours"; };
	const kept = store.get();
	if (kept === "light" || kept === "dark") root.dataset.scheme = kept;
	button.hidden = false;
	button.addEventListener("click", () => {
		root.dataset.scheme = isDark() ? "light" : "dark";
		store.set(root.dataset.scheme);
		label();
	});
	system.addEventListener("change", label);
	label();

	// Paper has the folded tables too.
	let shut = [];
	addEventListener("beforeprint", () => { shut = [...document.querySelectorAll("details.fold:not([open])")]; for (const e of shut) e.open = true; });
	addEventListener("afterprint", () => { for (const e of shut) e.open = false; });

	// Tables: a click on a head sorts by its column, another turns the order around.
	const collator = new Intl.Collator("en", { numeric: true });
	for (const table of document.querySelectorAll("table")) {
		const body = table.tBodies[0];
		if (body.rows.length < 2) continue;
		const heads = [...table.tHead.rows[0].cells];
		heads.forEach((head, column) => {
			const sorter = document.createElement("button");
			sorter.type = "button";
			sorter.append(...head.childNodes);
			head.append(sorter);
			head.setAttribute("aria-sort", "none");
			sorter.addEventListener("click", () => {
				const down = head.getAttribute("aria-sort") === "ascending";
				for (const other of heads) other.setAttribute("aria-sort", "none");
				head.setAttribute("aria-sort", down ? "descending" : "ascending");
				const key = row => {
					const cell = row.cells[column];
					return cell.dataset.v ?? cell.textContent;
				};
				const rows = [...body.rows].map(row => ({ row, key: key(row) }));
				rows.sort((a, b) => {
					if (a.key === "" || b.key === "") return (a.key === "") - (b.key === ""); // what is missing is last
					const x = Number(a.key), y = Number(b.key);
					const order = Number.isNaN(x) || Number.isNaN(y) ? collator.compare(a.key, b.key) : x - y;
					return down ? -order : order;
				});
				body.append(...rows.map(r => r.row));
			});
		});
	}

	// Pictures: the values under the pointer, or where the arrow keys are.
	const digits = v => {
		const a = Math.abs(v);
		if (a !== 0 && (a >= 1e9 || a < 1e-4)) return v.toExponential(3);
		return String(a >= 1000 ? Math.round(v * 10) / 10 : Number(v.toPrecision(4)));
	};
	const size = v => {
		for (const [unit, n] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]])
			if (v >= n && v % n === 0) return v / n + " " + unit;
		return digits(v) + " B";
	};
	// unit is what a label has in brackets: "bandwidth (MB/s)".
	const unit = text => { const m = /\(([^)]*)\)$/.exec(text || ""); return m ? " " + m[1] : ""; };
	const show = (axis, v) => axis.bytes ? size(v) : digits(v) + unit(axis.label);

	// A view is one drawing of a picture: the way from values to its coordinates.
	const scale = (ends, from, to, log) => {
		const f = log ? Math.log : v => v;
		const [a, b] = ends.map(f);
		return { to: v => from + (f(v) - a) / (b - a) * (to - from), back: p => { const v = a + (p - from) / (to - from) * (b - a); return log ? Math.exp(v) : v; } };
	};
	const view = (svg, data) => {
		const [left, top, right, bottom] = svg.dataset.area.split(" ").map(Number);
		const ends = s => s.split(" ").map(Number);
		return {
			svg, left, top, right, bottom,
			x: scale(ends(svg.dataset.x), left, right, data.x && data.x.log),
			y: scale(ends(svg.dataset.y), bottom, top, data.y && data.y.log),
		};
	};
	const nearest = (xs, at, v) => {
		let best = -1, least = Infinity;
		xs.forEach((x, i) => { const d = Math.abs(v.x.to(x) - at); if (d < least) { least = d; best = i; } });
		return [best, least];
	};

	// readFigure tells what a figure has at x (in the drawing's coordinates).
	const readFigure = (data, v, at) => {
		const lines = data.series.filter(s => s.kind === "line");
		const guide = (lines.length ? lines : data.series).map(s => { const [i, d] = nearest(s.x, at, v); return { x: s.x[i], d }; }).sort((a, b) => a.d - b.d)[0];
		const x = v.x.to(guide.x), near = (v.right - v.left) / 50;
		const rows = [], dots = [], banded = new Set();
		for (const s of data.series) {
			const [i, d] = nearest(s.x, x, v);
			if (d > near) continue;
			const band = s.kind === "band" || s.kind === "beyond";
			if (band && (s.x[i] !== guide.x || banded.has(s.name))) continue;
			if (band) banded.add(s.name);
			let text = show(data.y, s.y[i]), name = s.name;
			if (s.kind === "points") {
				name += " measured";
				if (s.x[i] !== guide.x) name += " at " + show(data.x, s.x[i]);
			}
			if (band) name += s.kind === "band" ? ", next measurement" : ", beyond what was measured";
			const low = s.low && s.low[i], high = s.high && s.high[i];
			if (typeof low === "number" || typeof high === "number")
				text = digits(s.y[i]) + " (" + (low === null ? "0" : digits(low)) + " – " + (high === null ? "∞" : digits(high)) + ")" + unit(data.y.label);
			rows.push({ name, color: s.color, text });
			if (!band) dots.push({ x: v.x.to(s.x[i]), y: v.y.to((s.at || s.y)[i]), color: s.color });
		}
		return { x, head: show(data.x, guide.x), rows, dots };
	};
	const readTimeline = (data, v, at) => {
		const t = v.x.back(at);
		const rows = data.stages.map((name, stage) => {
			const box = data.boxes.find(b => b[0] === stage && b[2] <= t && t < b[3]);
			return { name, color: box ? "var(--accent)" : "var(--rule)", text: box ? "packet " + box[1] + ", " + digits(box[2]) + " – " + digits(box[3]) + data.unit : "idle" };
		});
		return { x: at, head: digits(t) + data.unit, rows, dots: [] };
	};

	const ns = "http://www.w3.org/2000/svg";
	const make = (name, attributes) => {
		const e = document.createElementNS(ns, name);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		return e;
	};
	for (const figure of document.querySelectorAll("figure")) {
		const source = figure.querySelector("script");
		if (!source) continue;
		const data = JSON.parse(source.textContent);
		const canvas = figure.querySelector(".canvas");
		const read = data.kind === "timeline" ? readTimeline : readFigure;
		const stops = data.kind === "timeline" ? data.boxes.map(b => (b[2] + b[3]) / 2) : data.series.flatMap(s => s.x);
		const xs = [...new Set(stops)].sort((a, b) => a - b);
		const views = [...canvas.querySelectorAll("svg")].map(svg => view(svg, data));
		const tip = document.createElement("div");
		tip.className = "tip";
		tip.hidden = true;
		tip.setAttribute("role", "status");
		canvas.append(tip);
		canvas.classList.add("live");
		canvas.tabIndex = 0;
		canvas.setAttribute("role", "group");
		canvas.setAttribute("aria-describedby", figure.id + "-keys");
		const keys = document.createElement("span");
		keys.id = figure.id + "-keys";
		keys.hidden = true;
		keys.textContent = "The arrow keys read the values.";
		figure.append(keys);
		let marker = null, stop = -1;
		const hide = () => { tip.hidden = true; if (marker) marker.remove(); marker = null; };
		const place = at => {
			const v = views.find(v => v.svg.getClientRects().length) || views[0];
			at = Math.max(v.left, Math.min(v.right, at(v)));
			const now = read(data, v, at);
			hide();
			marker = make("g", { class: "cursor" });
			marker.append(make("line", { x1: now.x, x2: now.x, y1: v.top, y2: v.bottom }));
			for (const d of now.dots) {
				const dot = make("circle", { cx: d.x, cy: d.y, r: 3.2 });
				dot.style.stroke = d.color;
				marker.append(dot);
			}
			v.svg.append(marker);
			const head = document.createElement("b");
			head.textContent = now.head;
			tip.replaceChildren(head, ...now.rows.map(r => {
				const line = document.createElement("span"), spot = document.createElement("i"), value = document.createElement("em");
				spot.style.background = r.color;
				value.textContent = r.text;
				line.append(spot, r.name, value);
				return line;
			}));
			tip.hidden = false;
			const box = v.svg.getBoundingClientRect(), perUnit = box.width / v.svg.viewBox.baseVal.width;
			const x = now.x * perUnit, room = box.width - tip.offsetWidth;
			tip.style.left = Math.max(0, Math.min(room, x + 12 + tip.offsetWidth > box.width ? x - 12 - tip.offsetWidth : x + 12)) + "px";
			tip.style.top = v.bottom * perUnit + 22 + "px"; // below the axis, where it hides no value
		};
		const follow = e => place(v => { const box = v.svg.getBoundingClientRect(); return (e.clientX - box.left) / box.width * v.svg.viewBox.baseVal.width; });
		canvas.addEventListener("pointermove", follow);
		canvas.addEventListener("pointerdown", follow);
		canvas.addEventListener("pointerleave", hide);
		canvas.addEventListener("blur", hide);
		canvas.addEventListener("keydown", e => {
			const last = xs.length - 1;
			const next = { ArrowRight: stop + 1, ArrowLeft: stop < 0 ? last : stop - 1, Home: 0, End: last, PageUp: stop - 10, PageDown: stop + 10 }[e.key];
			if (e.key === "Escape") hide();
			if (next === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
			e.preventDefault();
			stop = Math.max(0, Math.min(last, next));
			place(v => v.x.to(xs[stop]));
		});
	}
})();
