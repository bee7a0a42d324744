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
	"95 % prediction interval": "where the next measurement lies in 95 of 100 cases",
};
const way = (() => {
	const { html } = draw, $ = id => document.getElementById(id);
	const logp = { o_s: 0, g: 1, G: 1, L: 2, o_r: 3 }, places = ["processor", "interface", "wire", "processor"];
	const kinds = [[/wire|link|net|cable/, "wire"], [/dma|bus|pci|nic|card|interface/, "interface"], [/copy|cpu|host|pio|soft|control/, "processor"]];
	let hops = [];

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
			hop.element = html("div", { title: hop.list.map(p => `${p.symbol || p.name} ${p.text}`).join(", ") + (shares ? `: ${Math.round(part)} % of the time` : "") },
				bar, html("b", {}, hop.name), html("small", {}, hop.kind || hop.list.map(p => p.symbol).join(", ")));
			return hop.element;
		}));
		const formula = shares ? shares.formula : "";
		$("formula").hidden = !formula;
		$("formula").replaceChildren(...["T = ", formula].join("").split(/(o_s|o_r|[βτ]|(?<![A-Za-z_])[LgG](?![A-Za-z_]))/).map(t => terms[t] ? html("b", { class: "term", title: terms[t], "data-symbol": t }, t) : t));
	};
	// point highlights the places of a slider's parameter; null: none.
	const point = p => {
		for (const hop of hops) hop.element.toggleAttribute("data-on", p !== null && hop.list.some(q => q.path === p.path));
		for (const t of $("formula").querySelectorAll("b")) t.toggleAttribute("data-on", p !== null && t.dataset.symbol === p.symbol);
	};
	return { show, point };
})();
