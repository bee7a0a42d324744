"use strict";
// The view of a benchmark: its files, read and fitted here, and the platforms of their fits.
const bench = (() => {
	const { s } = state, $ = id => document.getElementById(id), limit = 64 << 20;
	// NetPIPE 3.7.2 through Open MPI 4.1.4 in shared memory: bytes, Mbit/s, seconds.
	const example = "1 25.368830 0.00000030\n2 56.024915 0.00000027\n4 112.845159 0.00000027\n8 221.142645 0.00000028\n16 406.613216 0.00000030\n32 831.751916 0.00000029\n64 1585.317091 0.00000031\n128 2701.916559 0.00000036\n256 4541.361718 0.00000043\n512 5854.104777 0.00000067\n1024 11437.320955 0.00000068\n2048 16173.051707 0.00000097\n4096 12404.904337 0.00000252\n8192 18687.498595 0.00000334\n16384 21560.780502 0.00000580\n32768 31704.089304 0.00000789\n65536 43526.356516 0.00001149\n131072 50341.963323 0.00001986\n262144 55122.597153 0.00003628\n524288 52316.417143 0.00007646\n1048576 58585.921591 0.00013655\n";
	const made = new Map(); // platforms of files: the command that makes each
	let files = []; // the files shown: {name, asked, answer, table, ref}
	let at = 0, run = 0, chart, residuals;

	const init = about => {
		$("formats").textContent = "Read are: " + about.formats;
		const options = { ratio: .45, onHover: () => null, onPin: null, keys: false };
		chart = new Chart($("fit-chart"), { label: "Measured points and fitted lines", ...options });
		residuals = new Chart($("fit-residuals"), { label: "Residuals", ...options, ratio: .2, least: 140, most: 220 });
		$("file").addEventListener("change", e => { open([...e.target.files]); e.target.value = ""; });
		$("fit-example").addEventListener("click", () => open([new File([example], "example.out")]));
		let depth = 0;
		const over = on => document.body.classList.toggle("dragging", on);
		addEventListener("dragenter", e => { e.preventDefault(); depth++; over(true); });
		addEventListener("dragleave", () => { if (--depth <= 0) { depth = 0; over(false); } });
		addEventListener("dragover", e => e.preventDefault());
		addEventListener("drop", e => {
			e.preventDefault();
			depth = 0;
			over(false);
			open([...e.dataTransfer.files]);
		});
		$("fit-table").addEventListener("change", e => { const [k, t] = e.target.value.split(",").map(Number); at = k; files[k].table = t; page.settle(); });
		$("fit-use").addEventListener("click", () => page.add({ ref: files[at].ref, set: new Map() }));
	};
	const base64 = bytes => {
		if (bytes.toBase64) return bytes.toBase64();
		let raw = "";
		for (let k = 0; k < bytes.length; k += 32768) raw += String.fromCharCode(...bytes.subarray(k, k + 32768));
		return btoa(raw);
	};

	// open reads files one after the other. They are shown together, in place of earlier files.
	const open = async list => {
		const mine = ++run, all = [], failed = [];
		page.notice("");
		for (const f of list) {
			if (f.size > limit) {
				failed.push(`${f.name} is larger than 64 MiB; cut it, or use the command line`);
				continue;
			}
			const bytes = new Uint8Array(await f.arrayBuffer());
			if (/\.toml$/i.test(f.name)) platform(f.name, new TextDecoder().decode(bytes));
			else {
				const error = await fitted(f.name, base64(bytes), all, () => mine === run);
				if (error) failed.push(error.includes(f.name) ? error : `${f.name}: ${error}`);
			}
			if (mine !== run) return;
		}
		if (failed.length) page.notice(failed.join(" "));
	};
	// fitted fits a file with one model at once, then with all of them, which takes longer. It adds the
	// file to all, and returns an error's text.
	const fitted = async (name, data, all, current) => {
		const begun = performance.now(), f = { name, asked: { name, data: "" }, table: 0, ref: "" };
		page.notice(`${name} is being read and fitted…`);
		for (const model of ["piecewise", ""]) {
			try {
				const found = await program.later("fit", { name, data, model });
				if (!current()) return "";
				performance.measure(model ? "first-fit" : "fit", { start: begun });
				if (!all.includes(f)) all.push(f);
				take(f, found, model);
				files = all;
				at = all.length - 1;
				s.view = "fit";
				page.settle();
			} catch (e) {
				if (!model) return e.message; // not every file has such lines
			}
		}
		page.say(`${name} is read: ${f.answer.fits.length} table${f.answer.fits.length === 1 ? "" : "s"}`);
		return "";
	};
	// take takes the answer for a file, and makes a platform of it.
	const take = (f, answer, model) => {
		f.answer = answer;
		if (model) f.asked.model = model; else delete f.asked.model;
		page.notice(model ? `${f.name}: these are lines; other models are being compared with them…` : "");
		f.table = Math.max(0, Math.min(f.table, answer.fits.length - 1));
		if (!answer.platform) return;
		const given = answer.platform.ref, before = s.files.get(given);
		// Another file of the same name gets another ref.
		if (!f.ref) for (let n = 1; !f.ref || s.files.has(f.ref); n++) f.ref = n === 1 ? given : given.replace(/\.toml$/, `-${n}.toml`);
		program.add({ name: f.ref, toml: answer.toml });
		if (before !== undefined && f.ref !== given) program.add({ name: given, toml: before }); // the worker has replaced it
		s.files.set(f.ref, answer.toml);
		made.set(f.ref, program.ask("command", { question: "fit", request: { ...f.asked, save: f.ref } }).commands.join("\n"));
		page.list();
	};
	// A platform file is added without a fit.
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
		const f = files[at];
		$("fit-body").hidden = !f;
		if (!f) return;
		const { answer } = f, fit = answer.fits[f.table]; // none: the tables have one size each
		const choices = files.flatMap((o, k) => (o.answer.fits.length ? o.answer.fits : [{ name: "" }]).map((c, t) =>
			draw.html("option", { value: `${k},${t}`, selected: k === at && t === o.table }, files.length > 1 ? [o.name, o.answer.fits.length > 1 ? c.name : ""].filter(Boolean).join(": ") : c.name)));
		$("fit-title").textContent = f.name;
		$("fit-table-field").hidden = choices.length < 2;
		$("fit-table").replaceChildren(...choices);
		$("fit-use").hidden = !answer.platform;
		$("fit-summary").textContent = fit ? `Format ${fit.format}, ${fit.points} points, model ${fit.model}.` : answer.table.notes.join(" ");
		const warnings = [answer.broken, answer.platform || !fit ? "" : answer.unsaved, ...fit ? fit.warnings : []].filter(Boolean);
		$("fit-warnings").replaceChildren(...warnings.map(w => draw.html("li", {}, w)));
		paint(chart, "curve", draw.timeLabel);
		paint(residuals, "residuals", draw.percentLabel, { linear: true, symmetric: true, xTitle: "" });
		// The rows of `halfpeak fit`, of this table alone.
		const { heads, numeric, cells } = answer.table, of = heads.indexOf("table");
		const columns = heads.map((head, j) => ({ head, text: !numeric[j], cell: row => row[j] })).filter(c => !fit || !["file", "table", "format", "model"].includes(c.head));
		draw.table($("fit-lines"), fit ? "Lines, with 95 % intervals" : "What was measured", columns, cells.filter(row => !fit || of < 0 || row[of] === fit.name));
	};
	// paint draws the chosen table, and the tables of other files that show the same.
	const paint = (c, which, format, more = {}) => {
		const chosen = files[at].answer[which], many = files.length > 1, parts = [];
		files.forEach((f, k) => {
			const figure = f.answer[which];
			const names = figure ? [...new Set(figure.series.map(part => part.name))] : [];
			if (chosen && figure && figure.y.label === chosen.y.label)
				for (const part of figure.series) if (part.name === names[f.table]) parts.push({ ...part, i: many ? k : part.kind === "line" ? 1 : 0 });
		});
		const xs = parts.flatMap(f => f.x);
		c.box.parentElement.hidden = !xs.length;
		if (!xs.length) return;
		const of = (...kinds) => parts.filter(f => kinds.includes(f.kind));
		c.draw({
			title: chosen.y.label || chosen.title, format: /MB\/s/.test(chosen.y.label) ? draw.rateLabel : format, from: Math.max(.5, Math.min(...xs) / 1.2), to: Math.max(...xs) * 1.2,
			lines: of("line").map(f => ({ x: f.x, y: f.y, i: f.i, solid: true })),
			bands: many ? [] : of("band", "beyond").map(f => ({ ...f, beyond: f.kind === "beyond" })),
			points: of("points"),
			switches: files[at].answer.fits[files[at].table].breaks_bytes.map(x => ({ x, label: draw.sizeLabel(x), i: many ? at : 1 })), ...more,
		});
		if (many) c.box.append(draw.html("p", { class: "soft legend" }, files.map((f, k) => draw.html("span", {}, draw.swatch(k), f.name))));
		for (const old of [...c.box.querySelectorAll(".legend")].slice(0, many ? -1 : undefined)) old.remove();
	};
	// has reports whether a design is of a file that is shown.
	const has = ref => files.some(f => f.ref && (ref === f.ref || ref.startsWith(f.ref + "/")));
	const spoken = () => "";
	const picture = () => ({ boxes: files.length ? [$("fit-chart"), $("fit-residuals")] : [], name: "fit" });
	const question = () => files.length ? ["fit", { ...files[at].asked }] : null;
	const commands = () => files.map(f => ["fit", { ...f.asked }]);
	// making returns the commands that fit the platforms of the designs in use.
	const making = () => [...made].filter(([ref]) => s.designs.some(d => d.ref === ref || d.ref.startsWith(ref + "/"))).map(([, line]) => line);
	return { init, draw: show, has, spoken, picture, question, commands, making };
})();
