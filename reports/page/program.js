"use strict";
// The program: halfpeak's models as WebAssembly, unpacked from the page itself.
const program = (() => {
	const bytes = text => {
		if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
		const raw = atob(text), all = new Uint8Array(raw.length);
		for (let i = 0; i < raw.length; i++) all[i] = raw.charCodeAt(i);
		return all;
	};
	// start resolves when questions can be asked.
	const start = async () => {
		const packed = bytes(document.getElementById("halfpeak-wasm").textContent.trim());
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
