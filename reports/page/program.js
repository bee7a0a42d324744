"use strict";
// The program: halfpeak's models as WebAssembly, unpacked from the page itself.
const program = (() => {
	// bytes undoes raw of page.go: a letter of windows-1252 is a byte, and "=" precedes a byte that was
	// moved by 64.
	const bytes = (text, length) => {
		const letters = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, i) => i));
		const byte = new Uint8Array(0x10000), all = new Uint8Array(length);
		for (let i = 0; i < 256; i++) byte[letters.charCodeAt(i)] = i;
		for (let i = 0, at = 0; at < length; at++, i++) {
			const c = text.charCodeAt(i);
			all[at] = c === 61 ? byte[text.charCodeAt(++i)] - 64 : byte[c];
		}
		return all;
	};
	let module = null; // the program, compiled, for the worker
	// start resolves when questions can be asked.
	const start = async () => {
		const element = document.getElementById("halfpeak-wasm");
		const packed = bytes(element.textContent, Number(element.dataset.bytes));
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
		const go = new Go(), ready = new Promise(resolve => { globalThis.halfpeakReady = resolve; });
		const made = await WebAssembly.instantiateStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
		module = made.module;
		go.run(made.instance);
		await ready;
	};
	// ask puts a question to the program, and throws an answer that is an error.
	const ask = (question, request = {}) => {
		const answer = JSON.parse(halfpeakAsk(question, JSON.stringify(request)));
		if (answer && answer.error) throw new Error(answer.error);
		return answer;
	};
	// later returns a promise of the answer of a second program, in a worker, so that the page stays
	// responsive. Platforms that were added here are added there too.
	let worker = null, number = 0;
	const waiting = new Map(), added = [];
	const work = () => {
		if (worker) return worker;
		const exec = [...document.scripts].find(s => !s.type && s.text.includes("globalThis.Go =")).text;
		const rest = `onmessage = async ({ data }) => {
			if (data.module) {
				const go = new Go();
				globalThis.begun = new Promise(resolve => { globalThis.halfpeakReady = resolve; });
				go.run(await WebAssembly.instantiate(data.module, go.importObject));
				return;
			}
			await begun;
			postMessage({ number: data.number, answer: halfpeakAsk(data.question, data.request) });
		};`;
		const url = URL.createObjectURL(new Blob([exec, "\n", rest], { type: "text/javascript" }));
		worker = new Worker(url);
		URL.revokeObjectURL(url);
		worker.onmessage = ({ data }) => {
			const { resolve, reject } = waiting.get(data.number), answer = JSON.parse(data.answer);
			waiting.delete(data.number);
			if (answer && answer.error) reject(new Error(answer.error)); else resolve(answer);
		};
		worker.onerror = e => {
			for (const { reject } of waiting.values()) reject(new Error(e.message || "the worker failed"));
			waiting.clear();
		};
		worker.postMessage({ module });
		for (const request of added) send("add", request, () => {}, () => {});
		return worker;
	};
	const send = (question, request, resolve, reject) => {
		waiting.set(++number, { resolve, reject });
		worker.postMessage({ number, question, request: JSON.stringify(request) });
	};
	const later = (question, request) => new Promise((resolve, reject) => { work(); send(question, request, resolve, reject); });
	// add adds a platform file to both.
	const add = request => {
		const answer = ask("add", request);
		added.push(request);
		if (worker) send("add", request, () => {}, () => {});
		return answer;
	};
	return { start, ask, later, add };
})();
