"use strict";
// The sliders: one for each parameter of the design, logarithmic, with a field for the value, marks
// for the file's value and interval, and the parameter's share of the time beneath.
const sliders = (() => {
	const steps = 1000;
	const { html } = draw;
	let rows = new Map(), shown = "", sorted = "", box, changed;

	const place = (p, v) => {
		if (!(v > 0)) return 0;
		return Math.max(0, Math.min(1, Math.log(v / p.from) / Math.log(p.to / p.from)));
	};
	const value = (p, t) => {
		if (t <= 0 && p.zero) return 0;
		const v = p.from * (p.to / p.from) ** (t / steps);
		return p.whole ? Math.max(1, Math.round(v)) : Number(v.toPrecision(3));
	};
	// typed returns the typed text, with the parameter's unit if it is only a number.
	const typed = (p, text) => {
		const t = text.trim().replaceAll("µ", "u").replaceAll("μ", "u").replaceAll("\u00a0", " ");
		return /^[\d.]+(e[+-]?\d+)?$/i.test(t) ? t + p.unit : t.replace(/^([\d.]+(?:e[+-]?\d+)?) +(?=[a-zA-Z])/i, "$1");
	};

	// init takes the element to fill, and a function of a path, its value (null: the file's) and
	// whether the slider still moves, which returns the text of an error, or nothing.
	const init = (element, then) => { box = element; changed = then; };

	const row = p => {
		const id = "p-" + p.path.replace(/[^\w-]/g, "_");
		const r = { p };
		const phrase = explanation(p);
		r.range = html("input", { type: "range", min: 0, max: steps, step: 1, "aria-label": p.name + (p.phrase ? ", " + p.phrase : ""), title: phrase, oninput: () => apply(value(r.p, Number(r.range.value)) + r.p.unit, true), onchange: () => apply(value(r.p, Number(r.range.value)) + r.p.unit, false) });
		r.text = html("input", { type: "text", id, autocomplete: "off", spellcheck: "false", onchange: () => apply(typed(r.p, r.text.value), false), onkeydown: e => { if (e.key === "Escape") { r.shown = null; update(r, r.p); } } });
		r.reset = html("button", { type: "button", title: "Back to " + p.file.text, "aria-label": `${p.name}: back to ${p.file.text}`, onclick: () => { apply(null, false); r.text.focus(); } }, "↺");
		r.error = html("span", { class: "error", role: "alert" });
		r.mark = html("span", { class: "mark" });
		r.interval = html("span", { class: "interval", hidden: true });
		r.bar = html("b");
		r.part = html("span");
		r.owns = html("div", { class: "owns", hidden: true }, html("i", { "aria-hidden": "true" }, r.bar), r.part);
		r.words = p.words && p.words.length ? html("select", { "aria-label": p.name + ": rule", onchange: () => { if (r.words.value) apply(r.words.value, false); else apply(value(r.p, Number(r.range.value)) + r.p.unit, false); } },
			html("option", { value: "" }, "this size"), p.words.map(w => html("option", { value: w }, w))) : null;
		const apply = (v, moving) => {
			if (moving) r.text.value = v;
			const error = changed(r.p.path, v, moving);
			r.error.textContent = error || "";
			if (error) r.text.setAttribute("aria-invalid", "true"); else r.text.removeAttribute("aria-invalid");
		};
		const points = to => () => way.point(to);
		r.element = html("div", { class: "param", onpointerenter: points(p), onfocusin: points(p), onpointerleave: points(null), onfocusout: points(null) },
			html("label", { for: id }, label(p)), r.text, r.reset,
			html("div", { class: "track" }, r.range, r.interval, r.mark), r.words, r.owns, r.error);
		return r;
	};
	const label = p => {
		const short = p.owner && p.name.startsWith(p.owner + ".") ? p.name.slice(p.owner.length + 1) : p.name;
		const name = way.explained("b", explanation(p));
		name.textContent = p.symbol || short;
		return [name, p.phrase && short !== p.name.split(".").pop() + p.phrase ? " " + p.phrase : ""];
	};
	const explanation = p => [terms[p.symbol], p.phrase, p.source].filter(Boolean).join(" · ") || p.path;
	const at = (e, t) => { e.style.left = `calc(8px + (100% - 16px) * ${t.toFixed(4)})`; };
	const update = (r, p) => {
		const now = [p.value, p.text, p.word, p.changed, p.used, p.low, p.high].join();
		r.p = p;
		if (now === r.shown && !r.error.textContent) return;
		r.shown = now;
		const v = p.value ?? p.file.value;
		// A thumb that means this value stays: another place may mean it too, after rounding.
		if (v === null || Math.abs(value(p, Number(r.range.value)) - v) > 1e-6 * v) r.range.value = v === null ? 0 : Math.round(place(p, v) * steps);
		r.range.setAttribute("aria-valuetext", p.text);
		if (document.activeElement !== r.text || r.text.value === "" || !r.error.textContent) r.text.value = p.text;
		r.error.textContent = "";
		r.text.removeAttribute("aria-invalid");
		r.element.toggleAttribute("data-changed", p.changed);
		r.element.toggleAttribute("data-idle", p.used === false);
		r.reset.disabled = !p.changed;
		r.mark.hidden = p.file.value === null;
		if (p.file.value !== null) at(r.mark, place(p, p.file.value));
		r.mark.title = "in the paper: " + p.file.text;
		r.interval.hidden = p.file.low === null || p.file.high === null;
		if (!r.interval.hidden) {
			const a = place(p, p.file.low), b = place(p, p.file.high);
			at(r.interval, a);
			r.interval.style.width = `calc((100% - 16px) * ${(b - a).toFixed(4)})`;
		}
		if (r.words) r.words.value = p.word || "";
	};

	// show sets the sliders to a platform's parameters; the elements stay if the parameters do.
	const show = platform => {
		const key = platform.layer.ref + "\n" + platform.parameters.map(p => p.path).join("\n");
		if (key !== shown) {
			shown = key;
			rows = new Map();
			const groups = [];
			for (const p of platform.parameters) {
				const owner = p.constant ? "constants" : p.owner;
				let group = groups.find(g => g.owner === owner);
				if (!group) groups.push(group = { owner, list: [] });
				const r = row(p);
				rows.set(p.path, r);
				group.list.push(r.element);
			}
			const last = g => g.owner === "constants";
			sorted = "";
			box.replaceChildren(...groups.sort((a, b) => last(a) - last(b)).map(g => last(g) ? html("details", { class: "group" }, html("summary", {}, `Constants behind these (${g.list.length})`), g.list) : html("div", { class: "group", role: "group", "aria-label": g.owner || "layer" }, g.owner ? html("h3", {}, g.owner) : null, g.list)));
		}
		for (const p of platform.parameters) update(rows.get(p.path), p);
	};
	// owns shows each parameter's share of the time at a size.
	const owns = (shares, sizeText) => {
		for (const r of rows.values()) r.owns.hidden = true;
		for (const part of shares ? shares.parts : []) {
			const r = rows.get(part.path);
			if (!r || part.one_way_percent === null) continue;
			r.owns.hidden = false;
			r.bar.style.width = Math.max(0, Math.min(100, part.one_way_percent)) + "%";
			r.bar.style.background = way.color(part.path);
			r.part.textContent = `${part.text} of the time at ${sizeText}`;
		}
		if (shares) sort(shares, sizeText);
	};
	// sort puts the largest share first, among the groups and in each of them. It does so for another
	// layer or size alone: a slider must not leave the pointer that has just moved it.
	const sort = (shares, sizeText) => {
		if (sorted === shown + sizeText) return;
		sorted = shown + sizeText;
		const share = new Map(shares.parts.map(q => [q.path, q.one_way_percent || 0]));
		const of = new Map([...rows.values()].map(r => [r.element, share.get(r.p.path) || 0]));
		const total = group => [...group.querySelectorAll(".param")].reduce((sum, e) => sum + of.get(e), 0);
		for (const group of box.querySelectorAll("div.group")) group.append(...[...group.querySelectorAll(":scope > .param")].sort((a, b) => of.get(b) - of.get(a)));
		const groups = [...box.querySelectorAll(":scope > div.group")], totals = new Map(groups.map(g => [g, total(g)]));
		box.prepend(...groups.sort((a, b) => totals.get(b) - totals.get(a)));
	};
	return { init, show, owns };
})();
