"use strict";
// The view of collectives: the map of the fastest algorithms over ranks and sizes, and the messages
// of one of them at one place.
const collectives = (() => {
	const { s } = state, $ = id => document.getElementById(id);
	const ranks = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], sizes = [...Array(9).keys()].map(k => 8 * 4 ** k);
	let map, tree, field = null, run = 0, known = [], refused = false;

	const init = about => {
		known = about.collectives;
		$("collective").append(...known.map(name => draw.html("option", { value: name }, name)));
		map = shapes.canvas($("map"), "Map of the fastest algorithm", { tabindex: 0 });
		tree = shapes.canvas($("tree"), "Messages of the algorithm");
		$("collective").addEventListener("change", e => { s.collective = e.target.value; s.algorithm = ""; page.settle(); });
		$("ranks").addEventListener("change", e => {
			const v = Number(e.target.value), bad = !(Number.isInteger(v) && v >= 2 && v <= 1024);
			$("collective-error").textContent = bad ? "ranks: a whole number from 2 to 1024" : "";
			if (!bad) { s.ranks = v; page.settle(); }
		});
		$("collective-size").addEventListener("change", e => page.readSize(e.target, $("collective-error"), v => { s.block = v; page.settle(); }));
		map.root.addEventListener("keydown", e => {
			const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
			if (!move || e.altKey || e.ctrlKey || e.metaKey) return;
			e.preventDefault();
			const [j, k] = near();
			choose(Math.max(0, Math.min(ranks.length - 1, j + move[0])), Math.max(0, Math.min(sizes.length - 1, k + move[1])));
		});
	};
	const closest = (list, v) => list.reduce((best, x, k) => Math.abs(Math.log(x / v)) < Math.abs(Math.log(list[best] / v)) ? k : best, 0);
	const near = () => [closest(ranks, s.ranks), closest(sizes, s.block)];
	const choose = (j, k) => { s.ranks = ranks[j]; s.block = sizes[k]; s.algorithm = ""; page.settle(); };

	// compute fills the map, a column of ranks at a time.
	const compute = async () => {
		const mine = ++run, key = JSON.stringify([state.request(), s.collective]);
		if (!field || field.key !== key) field = { key, ranks, sizes, algorithms: [], best: [], order: [], next: 0 };
		while (mine === run && s.view === "collectives" && field.next < ranks.length) {
			const filling = field;
			let t;
			try {
				t = await program.later("collective", { ...state.request(), collective: s.collective, ranks: String(ranks[field.next]), sizes: sizes.map(draw.sizeText).join(","), budget_ms: 3000 });
			} catch (e) {
				if (filling === field) fail(e);
				return;
			}
			if (filling !== field || mine !== run) return;
			field.best[field.next++] = t.best[0].map(a => {
				if (a < 0) return -1;
				let n = field.algorithms.indexOf(t.algorithms[a]);
				if (n < 0) n = field.algorithms.push(t.algorithms[a]) - 1;
				if (!field.order.includes(n)) field.order.push(n);
				return n;
			});
			paint();
		}
	};
	const fail = e => {
		$("collective-none").textContent = e.message;
		$("collective-none").hidden = false;
		$("collective-body").hidden = true;
	};
	const paint = () => {
		const [j, k] = near(), there = ranks[j] === s.ranks && sizes[k] === s.block;
		shapes.field(map, field, there ? [j, k] : null, choose);
	};

	const drawView = moving => {
		if (moving) return;
		$("collective-none").hidden = true;
		$("collective-body").hidden = false;
		if (!known.includes(s.collective)) s.collective = known[0];
		$("collective").value = s.collective;
		if (document.activeElement !== $("ranks")) $("ranks").value = s.ranks;
		if (document.activeElement !== $("collective-size")) $("collective-size").value = draw.sizeText(s.block);
		try {
			place();
			refused = false;
		} catch (e) {
			refused = true;
			fail(e);
			return;
		}
		compute();
		paint();
	};
	// place shows all algorithms where the map's mark is, and draws one of them.
	const place = () => {
		const t = program.ask("places", question()[1]);
		const at = head => t.heads.indexOf(head), rows = typeof t.rows === "string" ? JSON.parse(t.rows) : t.rows;
		const all = t.cells.map((cells, k) => ({ cells, name: rows[k].algorithm, time: rows[k].time_us ?? rows[k].average_us, segment: rows[k].segment_bytes || 0, best: rows[k].best === true, measured: rows[k].from === "fitted" })).filter(a => a.time !== null).sort((a, b) => a.time - b.time);
		const chosen = all.find(a => a.name === s.algorithm) || all.find(a => a.best) || all[0];
		draw.table($("algorithms"), `${s.collective}, ${s.ranks} ranks, ${draw.sizeLabel(s.block)}`, [
			{ head: "algorithm", text: true, cell: a => draw.html("button", { type: "button", "aria-pressed": String(a === chosen), onclick: () => { s.algorithm = a.name; page.settle(); } }, a.name) },
			...["time", "average", "slower by"].filter(h => at(h) >= 0).map(h => ({ head: h, cell: a => a.cells[at(h)] })),
		], all, a => a === chosen ? { "data-on": "" } : {});
		$("collective-notes").replaceChildren(...t.notes.map(n => draw.html("li", {}, n)));
		if (!chosen) throw new Error("no algorithm of this collective runs with so many ranks");
		if (chosen.measured) { // its messages are unknown
			tree.paint(() => [0]);
			$("tree-caption").textContent = "These times were measured; their messages were not.";
			collectives.said = `${s.collective} among ${s.ranks} ranks, ${draw.sizeLabel(s.block)}: measured`;
			return;
		}
		const messages = program.ask("schedule", { ...state.request(), collective: s.collective, algorithm: chosen.name, ranks: s.ranks, size: draw.sizeText(s.block), ...(chosen.segment ? { segment: String(chosen.segment) } : {}) });
		const time = chosen.cells[at("time")];
		shapes.schedule(tree, messages);
		tree.root.setAttribute("aria-label", `${messages.title}: the last rank is done after ${time}`);
		$("tree-caption").textContent = `${chosen.name}: the last rank is done after ${time}. Its finish hangs on the orange messages.`;
		collectives.said = `${s.collective} among ${s.ranks} ranks, ${draw.sizeLabel(s.block)}: ${chosen.name}, ${time}`;
		map.root.setAttribute("aria-label", `Map of the fastest algorithm; here ${collectives.said}. The arrow keys choose another place.`);
	};
	const spoken = () => collectives.said || "";
	const picture = () => ({ boxes: [$("map"), $("tree")], name: s.collective });
	// Of times that are not of messages, the command shows what is known of them.
	const commands = () => [refused ? ["predict", { designs: [state.request()], sizes: draw.sizeText(s.block) }] : question()];
	const question = () => ["collective", { ...state.request(), collective: s.collective, ranks: String(s.ranks), sizes: draw.sizeText(s.block) }];
	return { init, draw: drawView, spoken, picture, question, commands };
})();
