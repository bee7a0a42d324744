"use strict";
// The words that the page explains where they stand, and the way of a message: a picture of
// processors, interfaces and wire, and the formula, in which the term of a slider lights up.
const terms = {
	"β": "the fixed cost, whatever the size",
	"τ": "the time of each further byte; 1/τ is a rate",
	"o_s": "send overhead: how long the sender's processor is busy with a message",
	"o_r": "receive overhead: how long the receiver's processor is busy with a message",
	"L": "latency: the time on the wire and in the interfaces, where no processor is busy",
	"g": "gap: the shortest time between two messages of one sender",
	"G": "gap per byte: the time of each further byte of a long message",
	"n½": "the message size that reaches half of the peak bandwidth; drag it to change the fixed cost",
	"r∞": "the peak: the bandwidth of messages without end",
	"one way": "from the begin of a send until the message has been received",
	"RTT": "round-trip time: there and back",
	"gap": "the time from one message of a stream to the next",
	"bandwidth": "message size over one-way time",
	"throughput": "message size over gap: what a stream of messages reaches",
	"packet": "the pieces in which a message is sent",
	"regime": "the protocol that serves this size",
	"against the first": "the one-way time beside that of the first design",
	"average": "the mean over ranks of when they are done; the time is that of the last",
	"slower by": "beside the fastest algorithm",
	"median error": "half of the points are nearer to the line",
	"95th perc.": "19 of 20 points are nearer to the line",
	"β (95 %)": "the fixed cost, with its 95 % confidence interval",
	"τ (95 %)": "the time of each further byte, with its 95 % confidence interval",
	"95 % from": "where the next measurement lies in 95 of 100 cases, from here",
	"to": "the upper end of that interval",
};
const way = (() => {
	const { html } = draw, $ = id => document.getElementById(id);
	const logp = { o_s: 0, g: 1, G: 1, L: 2, o_r: 3 }, places = ["processor", "interface", "wire", "processor"];
	const kinds = [[/wire|link|net|cable/, "wire"], [/dma|bus|pci|nic|card|interface/, "interface"], [/copy|cpu|host|pio|soft|control/, "processor"]];
	let hops = [], hues = new Map();
	const symbols = /(o_s|o_r|[βτ]|(?<![A-Za-z_])[LgG](?![A-Za-z_]))/;

	// color is that of a parameter's term in the formula and of the bar of its share.
	const color = path => draw.color(hues.has(path) ? hues.get(path) : 1);
	// explained makes a word whose explanation the pointer, a finger or the keyboard opens.
	const explained = (name, text, attributes = {}) => html(name, { class: "term", tabindex: 0, role: "button", "data-explain": text, ...attributes });
	// sums returns the terms that add up to the time: a parameter each if all symbols differ, as in
	// LogGP, else a stage or layer each.
	const sums = (platform, shares) => {
		const of = new Map(platform.parameters.map(p => [p.path, p]));
		const parts = shares.parts.filter(q => of.has(q.path) && q.one_way_us !== null && Math.abs(q.one_way_percent) > 1e-9);
		const alone = new Set(parts.map(q => of.get(q.path).symbol)).size === parts.length && parts.every(q => of.get(q.path).symbol);
		const all = [];
		for (const q of parts) {
			const p = of.get(q.path), name = alone ? p.symbol : p.owner || p.symbol || p.name;
			let term = all.find(t => t.name === name);
			if (!term) all.push(term = { name, paths: [], us: 0, symbol: alone ? p.symbol : "" });
			term.paths.push(q.path);
			term.us += q.one_way_us;
		}
		if (alone) all.sort((a, b) => shares.formula.indexOf(a.name) - shares.formula.indexOf(b.name));
		return all;
	};
	const number = v => v >= 1e6 ? Number(v.toPrecision(7)) : v.toFixed(Math.abs(v) < .1 ? 3 : 2);

	// show draws the parts of the way that the parameters belong to, each with its share of the time.
	const show = (platform, shares) => {
		const acts = p => !shares || shares.parts.some(q => q.path === p.path && (q.one_way_us > 0 || q.gap_us > 0));
		const all = platform.parameters.filter(p => !p.constant && p.used && p.unit !== "B" && acts(p)), of = new Map();
		for (const p of all) {
			const k = logp[p.symbol], key = k === undefined ? p.owner : k;
			if (!of.has(key)) of.set(key, { name: k === undefined ? p.owner : places[k], kind: k === undefined ? (kinds.find(([r]) => r.test(p.owner)) || [])[1] : "", list: [] });
			of.get(key).list.push(p);
		}
		const keys = [...of.keys()].sort((a, b) => typeof a === "number" && typeof b === "number" ? a - b : 0);
		hops = keys.map(k => of.get(k));
		$("way").hidden = hops.length < 2 || hops.length > 8;
		$("way").replaceChildren(...hops.map(hop => {
			const part = shares ? shares.parts.filter(q => hop.list.some(p => p.path === q.path)).reduce((sum, q) => sum + (q.one_way_percent || 0), 0) : 0;
			const bar = html("i", { "aria-hidden": "true" });
			bar.style.width = Math.max(0, Math.min(100, part)) + "%";
			hop.bar = bar;
			hop.element = html("div", { title: hop.list.map(p => `${p.symbol || p.name} ${p.text}`).join(", ") + (shares ? `: ${Math.round(part)} % of the time` : "") },
				bar, html("b", {}, hop.name), html("small", {}, hop.kind || hop.list.map(p => p.symbol).join(", ")));
			return hop.element;
		}));
		const formula = shares ? shares.formula : "";
		$("formula").hidden = !formula;
		const addends = shares ? sums(platform, shares) : [];
		hues = new Map(addends.flatMap((t, k) => t.paths.map(path => [path, k])));
		for (const hop of hops) hop.bar.style.background = color(hop.list[0].path);
		const hue = symbol => { const k = addends.findIndex(t => t.symbol === symbol); return k < 0 ? null : draw.color(k); };
		const spoken = [...$("formula").children].indexOf(document.activeElement); // its elements are made anew
		$("formula").replaceChildren(...["T = ", formula].join("").split(symbols).map(t => {
			if (!terms[t]) return t;
			const e = explained("b", terms[t], { "data-symbol": t, color: hue(t) });
			e.textContent = t;
			return e;
		}), ...addends.length ? [html("span", { class: "numbers" }, " = ", addends.flatMap((t, k) => {
			const e = explained("b", `${t.symbol && terms[t.symbol] ? `${t.name}, ${terms[t.symbol]}` : t.name}: ${number(t.us)} µs`, { color: draw.color(k), "data-paths": t.paths.join(" ") });
			e.append(...t.symbol ? [number(t.us)] : [html("small", {}, t.name + " "), number(t.us)]);
			return k ? [" + ", e] : [e];
		}), ` = ${shares.text.replace(" ", "\u00a0")}`)] : []);
		if (spoken >= 0) $("formula").children[spoken]?.focus();
	};
	// point highlights the places of a slider's parameter; null: none.
	const point = p => {
		for (const hop of hops) hop.element.toggleAttribute("data-on", p !== null && hop.list.some(q => q.path === p.path));
		for (const t of $("formula").querySelectorAll("b")) t.toggleAttribute("data-on", p !== null && (t.dataset.symbol === p.symbol || (t.dataset.paths || "").split(" ").includes(p.path)));
	};

	// The explanation of a word opens under it: by the pointer, by the focus or by a finger. Escape,
	// leaving it, or touching something else closes it.
	const init = () => {
		const box = $("explain");
		const close = () => { box.hidden = true; };
		const open = e => {
			const word = e.target.closest && e.target.closest("[data-explain]");
			if (!word) return close();
			box.textContent = word.dataset.explain;
			box.hidden = false;
			const at = word.getBoundingClientRect();
			box.style.left = Math.max(8, Math.min(innerWidth - box.offsetWidth - 8, at.left)) + "px";
			box.style.top = (at.bottom + box.offsetHeight + 10 > innerHeight ? at.top - box.offsetHeight - 6 : at.bottom + 6) + "px";
			word.setAttribute("aria-description", word.dataset.explain);
			if (e.type === "click") e.preventDefault(); // a word in a label is not its field
		};
		for (const event of ["pointerover", "focusin", "click"]) document.addEventListener(event, open);
		document.addEventListener("keydown", e => {
			if (e.key === "Escape") close();
			if ((e.key === "Enter" || e.key === " ") && e.target.dataset && e.target.dataset.explain) open(e);
		});
		for (const moves of ["wheel", "touchmove"]) addEventListener(moves, close, { passive: true });
	};
	return { show, point, init, color, explained };
})();
