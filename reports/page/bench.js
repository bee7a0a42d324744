"use strict";
// The view of a benchmark: its file, read and fitted here, and the platform that it makes.
const bench = (() => {
	const { s } = state, $ = id => document.getElementById(id), limit = 64 << 20;
	const asked = {}; // the question of the fit that is shown, without its data
	const made = new Map(); // platforms of files: the command that makes each
	let answer = null, table = 0, file = "", run = 0, ref = "", chart, residuals;

	const init = about => {
		$("formats").textContent = "Read are: " + about.formats;
		const options = { ratio: .45, onHover: () => null, onPin: null, keys: false };
		chart = new Chart($("fit-chart"), { label: "Measured points and fitted lines", ...options });
		residuals = new Chart($("fit-residuals"), { label: "Residuals", ...options, ratio: .2, least: 140, most: 220 });
		$("file").addEventListener("change", e => { if (e.target.files[0]) open(e.target.files[0]); e.target.value = ""; });
		let depth = 0;
		const over = on => document.body.classList.toggle("dragging", on);
		addEventListener("dragenter", e => { e.preventDefault(); depth++; over(true); });
		addEventListener("dragleave", () => { if (--depth <= 0) { depth = 0; over(false); } });
		addEventListener("dragover", e => e.preventDefault());
		addEventListener("drop", e => {
			e.preventDefault();
			depth = 0;
			over(false);
			if (e.dataTransfer.files[0]) open(e.dataTransfer.files[0]);
		});
		$("fit-table").addEventListener("change", e => { table = Number(e.target.value); show(); });
		$("fit-use").addEventListener("click", () => page.add({ ref, set: new Map() }));
	};
	const base64 = bytes => {
		if (bytes.toBase64) return bytes.toBase64();
		let raw = "";
		for (let k = 0; k < bytes.length; k += 32768) raw += String.fromCharCode(...bytes.subarray(k, k + 32768));
		return btoa(raw);
	};

	const open = async f => {
		page.notice("");
		if (f.size > limit) return page.notice(`${f.name} is larger than 64 MiB; cut it, or use the command line`);
		const bytes = new Uint8Array(await f.arrayBuffer());
		if (/\.toml$/i.test(f.name)) return platform(f.name, new TextDecoder().decode(bytes));
		// One model at once, then the comparison of all of them, which takes longer.
		const begun = performance.now(), mine = ++run;
		const request = { name: f.name, data: base64(bytes) };
		ref = ""; // of the platform that it becomes; another file of the same name gets another one
		page.notice(`${f.name} is being read and fitted…`);
		for (const model of ["piecewise", ""]) {
			let found;
			try {
				found = await program.later("fit", { ...request, model });
				performance.measure(model ? "first-fit" : "fit", { start: begun });
			} catch (e) {
				if (mine !== run || model) continue; // not every file has such lines
				return page.notice(e.message.includes(f.name) ? e.message : `${f.name}: ${e.message}`);
			}
			if (mine !== run) return;
			take(f.name, found, model);
		}
	};
	const take = (name, found, model) => {
		answer = found;
		Object.assign(asked, { name, data: "" }, model ? { model } : {});
		if (!model) delete asked.model;
		page.notice(model ? `${name}: these are lines; other models are being compared with them…` : "");
		file = name;
		table = Math.min(table, answer.fits.length - 1);
		if (answer.platform) {
			const given = answer.platform.ref, before = s.files.get(given);
			if (!ref) for (let n = 1; !ref || s.files.has(ref); n++) ref = n === 1 ? given : given.replace(/\.toml$/, `-${n}.toml`);
			program.add({ name: ref, toml: answer.toml });
			if (before !== undefined && ref !== given) program.add({ name: given, toml: before }); // the worker has replaced it
			s.files.set(ref, answer.toml);
			made.set(ref, program.ask("command", { question: "fit", request: { ...asked, save: ref } }).commands.join("\n"));
			page.list();
		}
		s.view = "fit";
		page.settle();
		page.say(`${name} is read: ${answer.fits.length} table${answer.fits.length === 1 ? "" : "s"}`);
	};
	// A platform file is taken as it is.
	const platform = (name, toml) => {
		try {
			const { platforms } = program.add({ name, toml });
			s.files.set(platforms[0].ref, toml);
			page.add({ ref: platforms[0].ref, set: new Map() });
		} catch (e) {
			page.notice(e.message);
		}
	};

	const show = () => {
		$("fit-body").hidden = answer === null;
		if (!answer) return;
		const fit = answer.fits[table];
		$("fit-title").textContent = file;
		$("fit-table-field").hidden = answer.fits.length < 2;
		$("fit-table").replaceChildren(...answer.fits.map((f, k) => draw.html("option", { value: k, selected: k === table }, f.name)));
		$("fit-use").hidden = !answer.platform;
		$("fit-summary").textContent = `Format ${fit.format}, ${fit.points} points, model ${fit.model}.`;
		const warnings = [answer.broken, answer.platform ? "" : answer.unsaved, ...fit.warnings].filter(Boolean);
		$("fit-warnings").replaceChildren(...warnings.map(w => draw.html("li", {}, w)));
		paint(chart, answer.curve, fit, draw.timeLabel);
		paint(residuals, answer.residuals, fit, draw.percentLabel, { linear: true, symmetric: true, xTitle: "" });
		// The rows of `halfpeak fit`, of this table alone.
		const { heads, numeric, cells } = answer.table, of = heads.indexOf("table");
		const columns = heads.map((head, j) => ({ head, text: !numeric[j], cell: row => row[j] })).filter(c => !["file", "table", "format", "model"].includes(c.head));
		draw.table($("fit-lines"), null, columns, cells.filter(row => of < 0 || row[of] === fit.name));
	};
	const paint = (c, figure, fit, format, more = {}) => {
		c.box.parentElement.hidden = !figure;
		if (!figure) return;
		const mine = figure.series.filter(f => f.design === table), xs = mine.flatMap(f => f.x);
		if (!xs.length) { c.box.parentElement.hidden = true; return; }
		c.draw({
			title: figure.y.label || figure.title, format: /MB\/s/.test(figure.y.label) ? draw.rateLabel : format, from: Math.max(.5, Math.min(...xs) / 1.2), to: Math.max(...xs) * 1.2,
			lines: mine.filter(f => f.kind === "line").map(f => ({ x: f.x, y: f.y, i: 1, solid: true })),
			bands: mine.filter(f => f.kind === "band" || f.kind === "beyond").map(f => ({ ...f, i: 0, beyond: f.kind === "beyond" })),
			points: mine.filter(f => f.kind === "points").map(f => ({ ...f, i: 0 })),
			switches: fit.breaks.map(b => ({ x: b.at_bytes, label: draw.sizeLabel(b.at_bytes), i: 1 })), ...more,
		});
	};
	const spoken = () => "";
	const picture = () => ({ boxes: answer ? [$("fit-chart"), $("fit-residuals")] : [], name: "fit" });
	const question = () => answer ? ["fit", { ...asked }] : null;
	// making has the commands that make the platforms that designs in use were fitted to.
	const making = () => [...made].filter(([ref]) => s.designs.some(d => d.ref === ref || d.ref.startsWith(ref + "/"))).map(([, line]) => line);
	return { init, draw: show, spoken, picture, question, making };
})();
