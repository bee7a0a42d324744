"use strict";
// The page as a whole: the designs, the views and their tabs, the fragment, light and dark.
const page = (() => {
	const { s } = state, $ = id => document.getElementById(id);
	const view = () => ({ curves, packets, collectives, fit: bench })[s.view];
	let platforms = [], platform = null, timer = 0, followed = 0, spoken = 0, ready = false, written = "";
	let typing = null; // the field with a text that is not yet taken
	let hand = 0, moved = 0; // the gesture that goes on, and the one that led to this state; 0: none

	const say = text => {
		clearTimeout(spoken);
		spoken = setTimeout(() => { $("live").textContent = text; }, 400);
	};
	const notice = text => { $("notice").textContent = text; $("notice").hidden = !text; };

	// labels returns the names of all designs, numbered if a platform occurs twice.
	const changes = d => [...d.set].map(([path, v]) => `${path.replace(/^(stage|layer)\./, "")} = ${v.replace(/us(?![a-z])/g, "µs")}`).join(", ");
	const labels = () => s.designs.map((d, i) => {
		const alike = s.designs.filter(o => o.ref === d.ref);
		return alike.length > 1 ? `${d.ref} (${alike.indexOf(d) + 1})` : d.ref;
	});
	const requests = () => { const names = labels(); return s.designs.map((d, i) => ({ ...state.request(d), name: names[i] })); };

	// Designs.
	const chips = () => {
		const names = labels();
		$("designs").replaceChildren(...s.designs.map((d, i) => {
			const line = draw.svg("svg", { width: 28, height: 12, "aria-hidden": "true" }, draw.svg("path", { class: "line", d: "M0 6h28", stroke: draw.color(i), "stroke-dasharray": draw.dash(i) }));
			const what = changes(d);
			return draw.html("li", { "data-on": i === s.on },
				draw.html("button", { type: "button", class: "name", "aria-pressed": String(i === s.on), title: what, onclick: () => { s.on = i; settle(); } }, line, draw.html("span", {}, names[i], what ? draw.html("small", {}, what) : null)),
				s.designs.length > 1 ? draw.html("button", { type: "button", class: "remove", "aria-label": `Remove ${names[i]}`, onclick: () => remove(i) }, "×") : null);
		}));
		$("keep").disabled = s.designs.length >= state.most;
	};
	const remove = i => {
		s.designs.splice(i, 1);
		if (s.on >= i && s.on > 0) s.on--;
		settle();
		$("keep").focus();
	};
	const add = design => {
		if (s.designs.length >= state.most) s.designs.pop();
		s.on = s.designs.push(design) - 1;
		s.view = "curves";
		list();
		settle();
	};
	const list = () => {
		({ platforms } = program.ask("platforms"));
		$("platform").replaceChildren(...platforms.map(p => draw.html("optgroup", { label: p.title || p.ref }, [...p.machine ? [draw.html("option", { value: p.ref }, `${p.ref} (the machine)`)] : [], ...p.layers.map(l => draw.html("option", { value: l.ref }, l.name === p.default ? `${l.ref} (default)` : l.ref))])));
	};

	// change sets a parameter. If the program refuses the value, it is undone and the reason returned.
	const change = (path, value, moving) => {
		const d = s.designs[s.on], before = new Map(d.set);
		if (value === null) d.set.delete(path); else d.set.set(path, value);
		try {
			if (!moving) program.ask("platform", state.request());
			update(moving);
		} catch (e) {
			d.set = before;
			update(false);
			return e.message;
		}
	};

	// threshold returns a function that moves the threshold of the design at this size; half moves n½.
	const threshold = size => {
		const t = platform.thresholds.find(t => t.in_use_bytes === size);
		return t ? (to, moving) => dragged(t.path, to + "B", moving) : null;
	};
	let fixed = ""; // the fixed cost that half changes
	const half = (to, moving) => {
		for (let turn = 0; turn < 3; turn++) { // n½ is the fixed cost times r∞: of a line exactly
			const { r_inf_mb_s: rate, n_half_bytes: now } = platform.peak;
			if (!now || Math.abs(now / to - 1) < .005) break;
			const costs = platform.parameters.filter(p => p.unit === "us" && p.used && !p.constant && p.value !== null);
			if (!costs.some(p => p.path === fixed)) {
				const { parts } = program.ask("shares", { ...state.request(), sizes: draw.sizeText(Math.max(1, Math.round(now))) });
				const share = p => (parts.find(q => q.path === p.path) || { one_way_us: 0 }).one_way_us;
				fixed = [...costs].sort((a, b) => share(b) - share(a))[0]?.path || "";
			}
			const p = costs.find(p => p.path === fixed);
			if (!p || dragged(p.path, Number(Math.max(0, p.value + (to - now) / rate).toPrecision(4)) + "us", true)) break;
			platform = program.ask("platform", state.request());
		}
		if (!moving) { fixed = ""; settle(); }
	};
	const dragged = (path, value, moving) => {
		const error = change(path, value, moving);
		notice(error || "");
		return error;
	};

	// update redraws the view while a slider moves, and settles when it rests. The other sliders
	// follow ten times a second.
	const update = moving => {
		if (!moving) return settle();
		moved = hand;
		view().draw(true, requests(), labels());
		if (performance.now() - followed > 100) {
			platform = program.ask("platform", state.request());
			sliders.show(platform);
			followed = performance.now();
		}
		clearTimeout(timer);
		timer = setTimeout(settle, 250);
	};
	// settle redraws the whole page from the state.
	const settle = () => {
		if (!ready) return;
		clearTimeout(timer);
		platform = program.ask("platform", state.request());
		for (const v of state.views) {
			$("view-" + v).hidden = v !== s.view;
			const tab = $("tab-" + v);
			tab.setAttribute("aria-selected", String(v === s.view));
			tab.tabIndex = v === s.view ? 0 : -1;
		}
		chips();
		sliders.show(platform);
		$("design").hidden = s.view === "fit" && !bench.has(s.designs[s.on].ref); // another's parameters say nothing about the file
		head();
		view().draw(false, requests(), labels());
		shares();
		const questions = view().commands ? view().commands() : question() ? [question()] : [];
		save.command(questions, s.view === "fit" ? [] : bench.making());
		tour.show();
		stay();
		say(view().spoken());
		write();
	};
	const head = () => {
		const d = s.designs[s.on];
		$("platform").value = platform.machine && d.ref === platform.ref ? d.ref : platform.layer.ref;
		$("platform-title").textContent = [platform.title, platform.layer.title].filter(Boolean).join(": ");
		$("reset-all").hidden = d.set.size === 0;
		const notes = [platform.note, platform.layer.note, platform.peak && platform.peak.text, ...platform.thresholds.map(t => t.text), platform.paper ? "Source: " + platform.paper : ""].filter(Boolean);
		$("platform-notes").hidden = notes.length === 0;
		$("platform-notes").querySelector("div").replaceChildren(...notes.map(n => draw.html("p", {}, n)));
		for (const [id, v] of [["size", s.size], ["from", s.from], ["to", s.to]]) if (typing !== $(id)) $(id).value = draw.sizeText(v);
	};
	// stay keeps the curves in sight on a telephone while the sliders below them move.
	const stay = () => {
		const main = $("views"), charts = $("charts");
		main.classList.toggle("stay", s.view === "curves" && s.quantity !== "four");
		main.style.setProperty("--stay", `${main.getBoundingClientRect().top - charts.getBoundingClientRect().top + 4}px`);
	};
	const shares = () => {
		const size = s.view === "packets" ? s.message : s.view === "collectives" ? s.block : s.size;
		let found = null;
		try { found = program.ask("shares", { ...state.request(), sizes: draw.sizeText(size) }); } catch { /* not of messages */ }
		way.show(platform, found);
		sliders.owns(found, draw.sizeLabel(size));
	};

	// readSize reads a typed size, by the program's own rules.
	const readSize = (input, error, then) => {
		try {
			const t = program.ask("predict", { designs: [{ ref: s.designs[s.on].ref }], sizes: input.value.replaceAll("\u00a0", " ").trim().replace(/ +/g, "") });
			const rows = typeof t.rows === "string" ? JSON.parse(t.rows) : t.rows;
			if (rows.length !== 1) throw new Error("one size, such as 64KiB");
			error.textContent = "";
			input.removeAttribute("aria-invalid");
			then(rows[0].size_bytes);
		} catch (e) {
			error.textContent = e.message;
			input.setAttribute("aria-invalid", "true");
		}
	};
	const pin = size => { s.size = size; update(true); };

	// The fragment.
	// Each state in which the page rests is a step of the browser's history, so that Back undoes one
	// change. The first one takes the place of the address that was opened. What one gesture leads to,
	// as by a slider's thumb or its arrow keys, is one step.
	let step = 0, last = 0, held = 0; // numbers of this step and the last one; the gesture of this one
	const write = async () => {
		const by = moved;
		moved = 0;
		const f = await state.fragment(), first = written === "";
		if (f === written) return;
		written = f;
		try {
			if (first) step = last = history.state?.step || 0;
			if (first || f === location.hash || by && by === held) history.replaceState({ step }, "", f);
			else {
				history.pushState({ step: step + 1 }, "", f);
				last = ++step;
			}
		} catch { /* a page without an address has no link */ }
		held = by;
		steps();
	};
	const steps = () => {
		$("undo").disabled = step === 0;
		$("redo").disabled = step >= last;
	};
	const undo = () => { if (step > 0) history.back(); };
	const redo = () => { if (step < last) history.forward(); };
	// returned shows the state to which the browser went, or the address that somebody typed.
	const returned = () => {
		if (location.hash === written) return;
		written = location.hash;
		if (history.state) step = history.state.step;
		else history.replaceState({ step: last = ++step }, "");
		held = moved = 0;
		steps();
		visit(location.hash);
	};
	// An undone text of a field is the field's own step until the text is taken.
	const shortcuts = e => {
		if (!(e.ctrlKey || e.metaKey) || e.altKey || typing) return;
		const key = e.key.toLowerCase(), again = key === "y" || key === "z" && e.shiftKey;
		if (key !== "z" && !again) return;
		e.preventDefault();
		if (again) redo(); else undo();
	};
	const read = async text => {
		const found = await state.parse(text, program);
		for (const [name, toml] of found.files || []) s.files.set(name, toml);
		if (found.lost) notice(`This link is broken: it does not give back ${found.lost}. The rest is shown.`);
		delete found.files;
		delete found.lost;
		Object.assign(s, found);
		if (s.tour >= tour.steps) s.tour = -1;
	};

	// visit shows the state in a fragment.
	const visit = async text => {
		await read(text);
		list();
		settle();
	};

	const scheme = () => {
		const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)"), button = $("scheme");
		const dark = () => (root.dataset.scheme || (system.matches ? "dark" : "light")) === "dark";
		const show = () => button.setAttribute("aria-pressed", String(dark()));
		try { const kept = localStorage.getItem("halfpeak-scheme"); if (kept === "light" || kept === "dark") root.dataset.scheme = kept; } catch { /* a file need not have storage */ }
		button.addEventListener("click", () => {
			root.dataset.scheme = dark() ? "light" : "dark";
			try { localStorage.setItem("halfpeak-scheme", root.dataset.scheme); } catch { /* as above */ }
			show();
		});
		system.addEventListener("change", show);
		show();
	};
	const controls = () => {
		const tabs = state.views.map(v => $("tab-" + v));
		tabs.forEach((tab, i) => {
			tab.addEventListener("click", () => { s.view = state.views[i]; settle(); });
			tab.addEventListener("keydown", e => {
				const to = { ArrowRight: i + 1, ArrowLeft: i - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[e.key];
				if (to === undefined) return;
				e.preventDefault();
				s.view = state.views[to % tabs.length];
				settle();
				tabs[to % tabs.length].focus();
			});
		});
		$("keep").addEventListener("click", () => {
			s.on = s.designs.push(state.copy(s.designs[s.on])) - 1;
			settle();
			say("Kept. The sliders now change a copy.");
		});
		$("platform").addEventListener("change", e => { s.designs[s.on] = { ref: e.target.value, set: new Map() }; s.packet = null; settle(); });
		$("reset-all").addEventListener("click", () => { s.designs[s.on].set.clear(); settle(); $("platform").focus(); });
		$("size").addEventListener("change", e => readSize(e.target, $("size-error"), v => { s.size = v; settle(); }));
		const end = (id, set) => $(id).addEventListener("change", e => readSize(e.target, $("size-error"), v => { const [a, b] = [s.from, s.to]; set(v); if (s.to < s.from * 4) { [s.from, s.to] = [a, b]; $("size-error").textContent = "the axis must end at 4 times its start or later"; } else settle(); }));
		end("from", v => { s.from = v; });
		end("to", v => { s.to = v; });
		addEventListener("hashchange", returned);
		$("undo").addEventListener("click", undo);
		$("redo").addEventListener("click", redo);
		addEventListener("keydown", shortcuts);
		for (const event of ["pointerdown", "focusin"]) addEventListener(event, () => { hand++; }, true);
		addEventListener("input", e => { if (e.target.type === "text") typing = e.target; }, true);
		for (const event of ["change", "focusout"]) addEventListener(event, () => { typing = null; }, true);
	};

	const picture = () => ({ ...view().picture(), legend: labels().map((n, i) => [n, changes(s.designs[i])].filter(Boolean).join(": ")) });
	const question = () => view().question();

	const start = async () => {
		scheme();
		try {
			await program.start();
			const data = JSON.parse($("halfpeak-data").textContent), about = program.ask("about");
			if (data.title && data.title !== "halfpeak explorer") $("title").textContent = data.title;
			for (const f of data.platforms || []) {
				const { platforms: [p] } = program.add(f);
				s.files.set(p.ref, f.toml);
				state.shipped.add(p.ref);
			}
			const first = (data.show && data.show.length ? data.show : [program.ask("platforms").platforms[0].ref]).slice(0, state.most);
			s.designs = first.map(ref => ({ ref, set: new Map() }));
			await read(location.hash);
			$("version").textContent = "halfpeak " + about.version;
			curves.init(pin);
			packets.init();
			collectives.init(about);
			bench.init(about);
			save.init();
			tour.init();
			way.init();
			sliders.init($("sliders"), change);
			controls();
		} catch (e) {
			$("loading").hidden = true;
			notice(`The page cannot start: ${e.message}. It needs a browser of 2023 or later.`);
			return;
		}
		$("loading").hidden = true;
		ready = true;
		settle();
		performance.mark("first-curve");
		setTimeout(() => { list(); head(); }, 50); // reads all platforms, which a curve need not wait for
	};
	return { start, visit, update, settle, list, add, say, notice, readSize, picture, question, write, threshold, half };
})();
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => page.start());
else page.start();
