"use strict";
// The program: halfpeak's models as WebAssembly, unpacked from the page itself.
const program = (() => {
	// bytes undoes encode85 of page.go: five letters are four bytes.
	const bytes = (text, length) => {
		const all = new DataView(new ArrayBuffer(Math.ceil(length / 4) * 4));
		for (let i = 0, at = 0; at < length; at += 4) {
			let v = 0;
			for (const end = i + 5; i < end; i++) {
				const c = text.charCodeAt(i);
				v = v * 85 + c - 40 - (c > 60) - (c > 92);
			}
			all.setUint32(at, v);
		}
		return new Uint8Array(all.buffer, 0, length);
	};
	// start resolves when questions can be asked.
	const start = async () => {
		const element = document.getElementById("halfpeak-wasm");
		const packed = bytes(element.textContent, Number(element.dataset.bytes));
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
		const go = new Go(), ready = new Promise(resolve => { globalThis.halfpeakReady = resolve; });
		const { instance } = await WebAssembly.instantiateStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
		go.run(instance);
		await ready;
	};
	// ask puts a question to the program; an answer that is an error is thrown.
	const ask = (question, request = {}) => {
		const answer = JSON.parse(halfpeakAsk(question, JSON.stringify(request)));
		if (answer && answer.error) throw new Error(answer.error);
		return answer;
	};
	return { start, ask };
})();
