"use strict";
// Saving: pictures as SVG and PNG, numbers as CSV, the platform as TOML, the page as a link; and the
// command that gives the same numbers.
const save = (() => {
	const $ = id => document.getElementById(id), ns = "http://www.w3.org/2000/svg";

	const download = (blob, name) => {
		const a = draw.html("a", { href: URL.createObjectURL(blob), download: name });
		document.body.append(a);
		a.click();
		a.remove();
		setTimeout(() => URL.revokeObjectURL(a.href), 10000);
	};
	const style = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linejoin", "font-size", "font-weight", "font-family", "paint-order", "opacity"];

	// whole puts the pictures of a view below each other into one SVG that needs no other file, in
	// light colours, with a legend.
	const whole = ({ boxes }, legend) => {
		const root = document.documentElement, kept = root.dataset.scheme;
		root.dataset.scheme = "light";
		const all = document.createElementNS(ns, "svg");
		let y = 12, wide = 0;
		try {
			for (const source of boxes.map(b => b.querySelector("svg")).filter(e => e && e.clientWidth)) {
				const [, , w, h] = source.getAttribute("viewBox").split(" ").map(Number), copy = source.cloneNode(true);
				const from = source.querySelectorAll("*"), to = copy.querySelectorAll("*");
				from.forEach((e, k) => {
					const computed = getComputedStyle(e);
					for (const p of style) {
						const v = computed.getPropertyValue(p);
						if (v) to[k].setAttribute(p, v);
					}
					to[k].removeAttribute("style");
					to[k].removeAttribute("class");
				});
				const g = draw.svg("g", { transform: `translate(12 ${y})` });
				g.append(...copy.childNodes);
				all.append(g);
				y += h + 16;
				wide = Math.max(wide, w);
			}
			const probe = getComputedStyle(root), font = { "font-family": "Helvetica, Arial, sans-serif", "font-size": "12px" };
			legend.forEach((name, i) => {
				const c = probe.getPropertyValue(`--c${i % 8}`).trim();
				const line = document.createElementNS(ns, "path"), text = draw.svg("text", { ...font, x: 50, y: y + 12 }, name);
				for (const [k, v] of Object.entries({ d: `M12 ${y + 8}h30`, "stroke-width": 2, stroke: c, "stroke-dasharray": draw.dash(i) || "none" })) line.setAttribute(k, v);
				text.setAttribute("fill", "#1d2126");
				all.append(line, text);
				y += 18;
			});
		} finally {
			if (kept) root.dataset.scheme = kept; else delete root.dataset.scheme;
		}
		const w = wide + 24, h = y + 8, ground = document.createElementNS(ns, "rect");
		for (const [k, v] of Object.entries({ width: w, height: h, fill: "#fff" })) ground.setAttribute(k, v);
		all.prepend(ground);
		for (const [k, v] of Object.entries({ width: w, height: h, viewBox: `0 0 ${w} ${h}` })) all.setAttribute(k, v);
		return { text: new XMLSerializer().serializeToString(all), w, h };
	};
	const png = ({ text, w, h }) => new Promise((resolve, reject) => {
		const image = new Image(), url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
		image.onload = () => {
			const c = draw.html("canvas", { width: w * 2, height: h * 2 }), pen = c.getContext("2d");
			pen.scale(2, 2);
			pen.drawImage(image, 0, 0, w, h);
			URL.revokeObjectURL(url);
			c.toBlob(b => b ? resolve(b) : reject(new Error("the browser made no PNG")), "image/png");
		};
		image.onerror = () => reject(new Error("the browser cannot draw the SVG"));
		image.src = url;
	});

	const does = {
		svg: () => { const p = page.picture(); download(new Blob([whole(p, p.legend).text], { type: "image/svg+xml" }), `halfpeak-${p.name}.svg`); },
		png: async () => { const p = page.picture(); download(await png(whole(p, p.legend)), `halfpeak-${p.name}.png`); },
		csv: () => {
			const q = page.question();
			if (!q) throw new Error("there are no numbers yet");
			const t = program.ask("csv", { question: q[0], request: q[1] });
			download(new Blob([t.text], { type: "text/csv" }), t.name);
		},
		toml: () => { const t = program.ask("toml", state.request()); download(new Blob([t.text], { type: "application/toml" }), t.name); },
		link: async () => { await page.write(); await copy(location.href); page.say("The link is copied."); },
		print: () => print(),
	};
	const copy = async text => {
		try {
			await navigator.clipboard.writeText(text);
		} catch { // not every browser has it for files
			const area = draw.html("textarea", { class: "sr" });
			area.value = text;
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
	};
	const init = () => {
		const menu = $("save");
		menu.addEventListener("click", async e => {
			const what = e.target.dataset && e.target.dataset.save;
			if (!what) return;
			menu.open = false;
			menu.querySelector("summary").focus();
			try { await does[what](); } catch (error) { page.notice(error.message); }
		});
		menu.addEventListener("keydown", e => { if (e.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); } });
		document.addEventListener("click", e => { if (!menu.contains(e.target)) menu.open = false; });
		$("command-copy").addEventListener("click", async () => { await copy($("command").textContent); page.say("The command is copied."); });
	};
	// command shows the command lines that answer questions, each line once, after the lines that fit
	// platforms to benchmarks' files.
	const command = (questions, made) => {
		const lines = new Set(made);
		for (const [question, request] of questions)
			for (const line of program.ask("command", { question, request }).commands) lines.add(line);
		$("command").textContent = [...lines].join("\n");
		$("command").closest("section").hidden = lines.size === 0;
	};
	return { init, command, whole, png };
})();
