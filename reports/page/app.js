"use strict";
// The state of the page, written to the fragment of the URL and read from it. A design is {ref, set};
// set maps parameter paths to typed values.
const state = (() => {
	const most = 8;
	const views = ["curves", "packets", "collectives", "fit"];
	const quantities = ["bandwidth", "latency", "gap", "throughput", "four"];
	const s = {
		view: "curves", quantity: "bandwidth", designs: [], on: 0, size: 65536, from: 1, to: 1 << 20,
		ratio: false, packet: null, message: 65536, collective: "bcast", ranks: 16, block: 4096, algorithm: "", tour: -1,
		files: new Map(), // platforms that came with the page or from a benchmark, by name: TOML
	};
	const shipped = new Set(); // names of files that are in the page itself

	// request is a design as the program takes it.
	const request = (d = s.designs[s.on]) => ({ ref: d.ref, set: [...d.set].map(([path, value]) => `${path}=${value}`) });
	const requests = () => s.designs.map(request);
	const copy = d => ({ ref: d.ref, set: new Map(d.set) });

	const pack = async text => {
		const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
		let raw = "";
		for (const b of new Uint8Array(await new Response(stream).arrayBuffer())) raw += String.fromCharCode(b);
		return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
	};
	const limit = 1 << 20; // of a file from a fragment, unpacked
	const unpack = async text => {
		const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
		const reader = new Blob([Uint8Array.from(raw, c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
		const decoder = new TextDecoder("utf-8", { fatal: true });
		for (let out = "", total = 0; ;) {
			const { done, value } = await reader.read();
			if (done) return out + decoder.decode();
			if ((total += value.length) > limit) throw new Error("a file in the link is too large");
			out += decoder.decode(value, { stream: true });
		}
	};
	const packed = new Map(); // text: packed text

	const fragment = async () => {
		const p = new URLSearchParams();
		p.set("v", s.view);
		p.set("q", s.quantity);
		p.set("s", s.size);
		p.set("r", s.from + ".." + s.to);
		for (const d of s.designs) p.append("d", [d.ref, ...[...d.set].map(([k, v]) => k + "=" + v)].join(";"));
		if (s.on) p.set("a", s.on);
		if (s.ratio) p.set("x", 1);
		if (s.view === "packets") p.set("p", s.message + (s.packet ? "," + s.packet : ""));
		if (s.view === "collectives") p.set("c", [s.collective, s.ranks, s.block, s.algorithm].join(","));
		if (s.tour >= 0) p.set("t", s.tour + 1);
		for (const [name, text] of s.files) {
			if (shipped.has(name) || !s.designs.some(d => d.ref === name || d.ref.startsWith(name + "/"))) continue;
			if (!packed.has(text)) packed.set(text, await pack(text));
			p.append("f", name + "~" + packed.get(text));
		}
		return "#" + p.toString().replaceAll("%2F", "/").replaceAll("%3B", ";").replaceAll("%2C", ",").replaceAll("%3D", "=").replaceAll("%7E", "~");
	};

	const whole = (text, least, greatest) => {
		if (!/^\d{1,12}$/.test(text || "")) return undefined;
		const v = Number(text);
		return v >= least && v <= greatest ? v : undefined;
	};
	// parse reads a fragment. It leaves out parts that fragment does not write or the program refuses.
	// No part of it is ever markup or code.
	const parse = async (text, { ask, add }) => {
		const p = new URLSearchParams(text.replace(/^#/, "")), out = {}, lost = [];
		const take = (key, value) => { if (value !== undefined) out[key] = value; };
		take("view", views.find(v => v === p.get("v")));
		take("quantity", quantities.find(v => v === p.get("q")));
		take("size", whole(p.get("s"), 1, 2 ** 40));
		const [from, to] = (p.get("r") || "").split("..").map(v => whole(v, 1, 2 ** 40));
		if (from && to && to >= from * 4) { out.from = from; out.to = to; }
		out.ratio = p.get("x") === "1";
		const [message, packet] = (p.get("p") || "").split(",");
		take("message", whole(message, 1, 2 ** 40));
		out.packet = whole(packet, 1, 2 ** 40) || null;
		const [collective, ranks, block, algorithm] = (p.get("c") || "").split(",");
		if (/^[a-z-]{1,40}$/.test(collective)) out.collective = collective;
		take("ranks", whole(ranks, 2, 1024));
		take("block", whole(block, 1, 2 ** 40));
		if (/^[a-z0-9-]{0,40}$/.test(algorithm || "")) out.algorithm = algorithm || "";
		const tour = whole(p.get("t"), 1, 99);
		out.tour = tour === undefined ? -1 : tour - 1;
		out.files = new Map();
		for (const f of p.getAll("f").slice(0, most)) {
			try {
				const [, name, data] = /^([\w.-]{1,80})~([\w-]+)$/.exec(f);
				if (data.length > limit) continue;
				const toml = await unpack(data);
				add({ name, toml });
				out.files.set(name, toml);
				packed.set(toml, data);
			} catch { lost.push("the platform " + f.split("~")[0].slice(0, 40)); }
		}
		const designs = [];
		for (const d of p.getAll("d").slice(0, most)) {
			const [ref, ...changes] = d.split(";");
			const design = { ref, set: new Map() };
			for (const c of changes.slice(0, 100)) {
				const at = c.indexOf("=");
				if (at > 0 && c.length < 500) design.set.set(c.slice(0, at), c.slice(at + 1));
			}
			try {
				ask("platform", request(design));
				designs.push(design);
			} catch { lost.push("the design " + ref.slice(0, 40)); }
		}
		if (designs.length) {
			out.designs = designs;
			out.on = whole(p.get("a"), 0, designs.length - 1) || 0;
		}
		if (p.has("v") && !out.view) lost.push("the view " + p.get("v").slice(0, 40));
		if (lost.length) out.lost = lost.join(", ");
		return out;
	};
	return { s, most, views, quantities, shipped, request, requests, copy, fragment, parse };
})();
