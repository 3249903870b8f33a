// Things that are broken on purpose, to see that tests notice: npm run test:browser -- --broken. Each is a script that runs in the
// page before all else. Every test has one at least.

export interface Break { name: string; file: string; test: string; script: string }

// answered breaks what the engine answers: does changes the answer to a method, or a part of it; "any" is all of them. The engine answers from its worker.
function answered(method: string, does: string): string {
  return `{
    const change = ${does};
    const asked = new Map();
    const Real = Worker;
    globalThis.Worker = class extends Real {
      postMessage(what) { asked.set(what.number, what.method); super.postMessage(what); }
      set onmessage(hear) {
        super.onmessage = ({ data }) => {
          const part = data.answer ?? (data.frames || data.header ? data : null);
          if (part && (asked.get(data.number) === '${method}' || '${method}' === 'any')) change(part);
          hear({ data });
        };
      }
    };
  }`;
}

// frames breaks each frame that the engine answers with.
const frames = (does: string): string => answered('any', `(answer) => { for (const frame of answer.frames ?? []) (${does})(frame); }`);

// answers breaks what a page of comparisons was given.
const answers = (does: string): string => `const parse = JSON.parse; JSON.parse = (text) => { const c = parse(text); if (c?.questions) (${does})(c); return c; };`;

// placed breaks what a node says of its groups, at addresses with a word in them.
const placed = (word: string, does: string): string => `const real = fetch; globalThis.fetch = async (url, ...more) => { const a = await real(url, ...more); if (!String(url).includes("${word}")) return a; const p = await a.json(); (${does})(p); return Response.json(p); };`;

const neverRed = frames('(f) => { for (const indicator of f.indicators ?? []) indicator.light = "green"; }');
const style = (css: string): string => `addEventListener('DOMContentLoaded', () => document.head.append(Object.assign(document.createElement('style'), { textContent: '${css}' })));`;
const noKey = (key: string): string => `addEventListener('keydown', (event) => { if (event.key === '${key}') { event.stopImmediatePropagation(); event.preventDefault(); } }, true);`;

export const breaks: Break[] = [
  { name: 'nobody leads after a crash', file: 'first', test: 'painted at once', script: frames('(f) => { if (f.node === 3 && f.state?.look === "leads") f.state.look = "follows"; }') },
  { name: 'the epoch does not rise', file: 'first', test: 'painted at once', script: frames('(f) => { if (f.state) f.state.epoch = Math.min(f.state.epoch, 1); }') },
  { name: 'the page asks the network', file: 'first', test: 'step back', script: 'addEventListener("load", () => { new Image().src = "http://127.0.0.1:9/"; });' },
  { name: 'the page logs an error', file: 'first', test: 'step back', script: 'console.error("broken");' },
  { name: 'a crash crashes nobody', file: 'first', test: 'step back', script: frames('(f) => { if (f.kind === "crash" && f.state) f.state.look = "follows"; }') },
  { name: 'the hint stays as it was when 5 was killed', file: 'hint', test: 'at every step', script: 'const { set, get } = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data"); Object.defineProperty(CharacterData.prototype, "data", { get, set(text) { if (!/lost patience|ask|claim|waits for/.test(text)) set.call(this, text); } });' },
  { name: 'a tooltip is below its node, whatever is there', file: 'tip', test: 'covers', script: style('.ring-tip { transform: translate(-90px, 90px); }') },
  { name: 'a tooltip stays as it was', file: 'tip', test: 'is now', script: 'const { set, get } = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data"); Object.defineProperty(CharacterData.prototype, "data", { get, set(text) { if (this.parentElement?.className !== "ring-tip") set.call(this, text); } });' },
  { name: 'a leader that was killed leads for ever', file: 'open', test: 'just ends', script: frames('(f) => { if (f.state?.unheard) f.state = { ...f.state, look: "leads", unheard: false }; }') },
  { name: 'nobody says why there is no resource', file: 'open', test: 'just ends', script: answered('open', '(answer) => { if (answer.header) answer.header.source = "counterexample"; }') },
  { name: 'a leader that was killed is said to be down', file: 'open', test: 'just ends', script: frames('(f) => { if (f.state?.unheard) f.state.unheard = false; }') },
  { name: 'a node that was never heard has no end', file: 'live', test: 'kill -9', script: `{ const real = JSON.stringify; JSON.stringify = (what, ...more) => real(what?.unheard && !what.last ? { node: what.unheard } : what, ...more); }` },
  { name: 'a leader that is stopped acts', file: 'live', test: 'kill -9', script: frames('(f) => { if (/^it led epoch/.test(f.note)) f.state = { ...f.state, look: "leads", unheard: false }; }') },
  { name: 'a fence refuses nothing', file: 'picture', test: 'has a write in hand', script: frames('(f) => { if (f.wrote) f.wrote.fate = "taken"; }') },
  { name: 'a paused leader looks as if it acted', file: 'picture', test: 'has a write in hand', script: frames('(f) => { if (f.state) delete f.state.paused; }') },
  { name: 'what has no fence has one', file: 'picture', test: 'without a fence', script: answered('begin', '(answer) => { answer.header.resource = "fenced"; }') },
  { name: 'a lease does not shrink', file: 'picture', test: 'the lease round', script: 'const real = Element.prototype.setAttribute; Element.prototype.setAttribute = function (name, value) { real.call(this, name, name === "data-left" ? "0.5" : value); };' },
  { name: 'a letter is not in the legend', file: 'picture', test: 'every letter', script: 'setInterval(() => document.querySelector(".ring-key [data-letters=G]")?.setAttribute("data-letters", ""), 5);' },
  { name: 'words mean nothing', file: 'picture', test: 'a word says', script: answered('gallery', '(answer) => { answer.glossary = []; }') },
  { name: 'a tip is wider than the phone', file: 'picture', test: 'a finger reads', script: style('.term-tip { min-width: 600px }') },
  { name: 'the N key does nothing', file: 'picture', test: 'the next phase', script: noKey('n') },
  { name: 'the gallery draws nothing', file: 'picture', test: 'the gallery: short', script: answered('sketch', '(answer) => { answer.rows = []; }') },
  { name: 'what has happened is below the fold', file: 'picture', test: 'at 1024', script: style('.panes { grid-template: "head" "ring" "diagram" "panel" "list" / 1fr !important }') },
  { name: 'a menu is behind the bar', file: 'picture', test: 'at 1024', script: style('.ring-menu { max-height: none !important; top: 300px !important }') },
  { name: 'a finger scrolls instead', file: 'touch', test: 'a finger', script: "addEventListener('touchmove', (event) => event.stopImmediatePropagation(), true);" },
  { name: 'no indicator goes red', file: 'partition', test: 'textbook', script: neverRed },
  { name: 'an indicator of ours is red', file: 'partition', test: 'ours', script: frames('(f) => { if (f.node === 2 && f.state?.look === "leads") f.indicators = [{ name: "OneActing", light: "red" }]; }') },
  { name: 'no link is cut', file: 'partition', test: 'a drag', script: frames('(f) => { delete f.cut; }') },
  { name: 'a run spec is not the same run again', file: 'link', test: 'a link to a run', script: frames('(f) => { f.at += Math.random(); }') },
  { name: 'a trace is not the same again', file: 'link', test: 'a link to a golden', script: frames('(f) => { f.text += Math.random(); }') },
  { name: 'a broken link is not seen', file: 'link', test: 'begins a run of its own', script: 'history.replaceState(null, "", location.pathname);' },
  { name: 'the engine does not say why', file: 'link', test: 'that shows something', script: answered('begin', '(answer) => { if (answer.problem) answer.problem.problem = "no"; }') },
  { name: 'golden traces open at the beginning', file: 'gallery', test: 'every golden', script: answered('openGolden', '(answer) => { answer.header.open = 0; }') },
  { name: 'the rules refuse a golden trace at its end', file: 'gallery', test: 'every golden', script: answered('openGolden', '(answer) => { if (answer.frames?.length) answer.frames.at(-1).indicators = [{ name: "Rules", light: "red" }]; }') },
  { name: 'what is refused is green', file: 'gallery', test: 'breaks a rule', script: neverRed },
  { name: 'another line is refused', file: 'gallery', test: 'breaks a rule', script: answered('openGolden', '(answer) => { if (answer.problem) answer.problem.line++; }') },
  { name: 'scenarios have lost their names', file: 'scenarios', test: 'finds it', script: answered('gallery', '(answer) => { for (const s of answer.scenarios) s.name = s.title = "x"; }') },
  { name: 'no flaw is seen', file: 'scenarios', test: 'every scenario', script: neverRed },
  { name: 'every row is in the page', file: 'large', test: 'ten thousand', script: 'Object.defineProperty(Element.prototype, "clientHeight", { get() { return this.className === "list-rows" ? 1e5 : this.getBoundingClientRect().height; } });' },
  { name: 'files are empty', file: 'open', test: 'by drop', script: 'File.prototype.text = async () => "";' },
  { name: 'another line is wrong', file: 'open', test: 'a broken file', script: answered('open', '(answer) => { if (answer.problem?.line) answer.problem.line++; }') },
  { name: 'a counterexample opens at its beginning', file: 'open', test: 'model checker', script: answered('open', '(answer) => { answer.header.open = 1; }') },
  { name: 'what the explorer found opens at its beginning', file: 'open', test: 'explorer', script: answered('open', '(answer) => { answer.header.open = 1; }') },
  { name: 'a trace can be intervened in', file: 'open', test: 'cannot be intervened', script: answered('open', '(answer) => { answer.header.source = "run"; answer.runSpec = { runSpec: 1, do: [] }; }') },
  { name: 'all members are voters', file: 'members', test: 'told apart', script: frames('(f) => { for (const c of f.configurations ?? []) for (const m of c.members) m.kind = "voter"; }') },
  { name: 'configurations are not told', file: 'members', test: 'a phone', script: frames('(f) => { delete f.configurations; }') },
  { name: 'no leader knows that it is settled', file: 'members', test: 'adopted', script: frames('(f) => { if (f.state) delete f.state.settled; }') },
  { name: 'all nodes have the same configuration', file: 'members', test: 'how far', script: frames('(f) => { if (f.state?.configuration) f.state.configuration = 1; }') },
  { name: 'a witness says nothing', file: 'members', test: 'speaks', script: frames('(f) => { if (f.node === 2 && f.kind === "timer") { delete f.sends; f.note = "waits"; } }') },
  { name: 'the leader is asked in vain', file: 'members', test: 'in a run', script: answered('do', '(answer) => { answer.frames = []; answer.problem = { problem: "no" }; }') },
  { name: 'a change is no call', file: 'members', test: 'gallery', script: answered('openGolden', '(answer) => { answer.header.open = 1; }') },
  { name: 'the Enter key does nothing', file: 'keys', test: 'keys only', script: noKey('Enter') },
  { name: 'the K key does nothing', file: 'keys', test: 'whole page', script: noKey('k') },
  { name: 'heartbeats are no heartbeats', file: 'keys', test: 'slider goes', script: frames('(f) => { delete f.upkeep; }') },
  { name: 'a key does not say that there is more', file: 'keys', test: 'a key that does not fit', script: style('[data-more]::after { display: none !important }') },
  { name: 'words on the ring are large', file: 'labels', test: 'a phone the words on the ring can be read at each stop', script: style('.ring-picture text { font-size: 17px !important }') },
  { name: 'the buttons of a tour are wide', file: 'labels', test: 'a phone the words on the ring can be read at each stop', script: style('.tour-foot { flex-wrap: nowrap !important } .tour-foot button { padding-inline: 1rem !important }') },
  { name: 'buttons stand on nodes', file: 'labels', test: 'a phone the words on the ring can be read at each stop', script: style('.ring-deed { translate: 0 40px }') },
  { name: 'the resource is where messages pass', file: 'labels', test: 'a small window the words on the ring can be read in each run', script: style('.ring-resource { translate: 50px 25px }') },
  { name: 'the card of a tour has no signs', file: 'labels', test: 'a phone the words on the ring can be read at each stop', script: style('.tour-sign { display: none !important }') },
  { name: 'words stand on nodes', file: 'labels', test: 'a small window the words on the ring can be read in each run', script: style('.ring-words > text { translate: 0 30px }') },
  { name: 'a page that is behind does not say so', file: 'live', test: 'says how far', script: style('.live-behind { display: none }') },
  { name: 'the buttons of a tour are in two lines', file: 'tours', test: 'keys only', script: style('.tour-foot button { display: block; float: left; min-width: 180px } .tour-foot { display: block !important; max-width: 400px }') },
  { name: 'the page has no language', file: 'axe', test: 'WCAG', script: 'addEventListener("DOMContentLoaded", () => document.documentElement.removeAttribute("lang"));' },
  { name: 'text is pale', file: 'axe', test: 'WCAG', script: style(':root { --soft: #bbbbbb !important }') },
  { name: 'it moves though it should not', file: 'axe', test: 'without motion', script: 'let asked = 0; const real = matchMedia; globalThis.matchMedia = (q) => (/motion/.test(q) && asked++ < 2 ? { matches: false, addEventListener: () => undefined } : real(q));' },
  { name: 'the page is wider than the phone', file: 'phone', test: 'with a finger', script: style('.transport { min-width: 500px }') },
  { name: 'the bar below covers a low window', file: 'phone', test: '640 × 400', script: style('.transport { position: sticky !important }') },
  { name: 'a dialog is wider than the phone', file: 'phone', test: 'every dialog', script: style('.dialog { min-width: 500px; overflow: visible }') },
  { name: 'a finger does not scroll', file: 'phone', test: 'scrolls under', script: style('* { touch-action: none !important }') },
  { name: 'a saved trace lacks a line', file: 'export', test: 'is saved', script: answered('trace', '(answer) => { answer.text = answer.text.split("\\n").toSpliced(9, 1).join("\\n"); }') },
  { name: 'a saved picture is no XML', file: 'export', test: 'is saved', script: 'const real = URL.createObjectURL; URL.createObjectURL = (blob) => real(blob.type === "image/svg+xml" ? new Blob(["<svg>&"]) : blob);' },
  { name: 'a comparison lost an answer', file: 'compare', test: 'a plot for each', script: answers('(c) => { c.questions[2].rows.shift(); }') },
  { name: 'whiskers are not drawn', file: 'compare', test: 'a plot for each', script: answers('(c) => { for (const row of c.questions[1].rows) for (const v of row.values) v.least = v.p99 = v.median; }') },
  { name: 'a name has no room on a desk', file: 'compare', test: 'a desk', script: style('figure svg text { letter-spacing: 4px }') },
  { name: 'a name has no room on a phone', file: 'compare', test: 'a phone:', script: style('figure svg text { letter-spacing: 4px }') },
  { name: 'a comparison is pale', file: 'compare', test: 'a phone, dark', script: style('[data-theme=dark] { --soft: #444444 !important }') },
  { name: 'a saved plot is no XML', file: 'compare', test: 'is saved', script: 'const real = URL.createObjectURL; URL.createObjectURL = (blob) => real(new Blob(["<svg>&"]));' },
  { name: 'a plot keeps its room', file: 'compare', test: 'drawn again', script: 'const Real = ResizeObserver; globalThis.ResizeObserver = class extends Real { constructor(f) { let seen = 0; super((all) => { if (seen++ === 0) f(all); }); } };' },
  { name: 'a tour is not read out', file: 'tours', test: 'keys only', script: 'new MutationObserver(() => document.querySelectorAll(".tour [role=status]").forEach((p) => p.removeAttribute("role"))).observe(document, { subtree: true, childList: true });' },
  { name: 'a tour is talked over', file: 'tours', test: 'keys only', script: 'addEventListener("DOMContentLoaded", () => setInterval(() => { const voice = document.querySelector(".unseen[aria-live]"); if (voice) voice.textContent = "Node 1 does something."; }, 200));' },
  { name: 'the N key does nothing in a tour', file: 'tours', test: 'keys only', script: noKey('n') },
  { name: 'the card of a tour is pale', file: 'tours', test: 'keys only', script: style('.tour { background: #c9d9ea !important }') },
  { name: 'a tour shows nothing red', file: 'tours', test: 'keys only', script: neverRed },
  { name: 'a tour does not see that people step elsewhere', file: 'tours', test: 'something else', script: noKey('ArrowLeft') },
  { name: 'it is forgotten that tours were offered', file: 'tours', test: 'offered once', script: 'Storage.prototype.setItem = () => undefined;' },
  { name: 'the offer cannot be pressed', file: 'tours', test: 'may be kept', script: style('.offer button { display: none }') },
  { name: 'a link to a tour is not seen', file: 'tours', test: 'not there', script: 'history.replaceState(null, "", location.pathname);' },
  { name: 'a tour marks nodes only', file: 'tours', test: 'marks what its sentence', script: 'setInterval(() => document.querySelectorAll(".ring-marked-lease, .ring-messages .ring-marked, .ring-resource .ring-marked").forEach((mark) => mark.setAttribute("class", "")), 2);' },
  { name: 'a pair draws no resource of the second', file: 'pair', test: 'its resource', script: answered('begin', '(answer) => { if (answer.header?.algorithm === "bully") delete answer.header.resource; }') },
  { name: 'the N key does nothing in a pair', file: 'pair', test: 'its resource', script: noKey('n') },
  { name: 'a node says nothing to a voice', file: 'spoken', test: 'the first page', script: 'const real = Element.prototype.setAttribute; Element.prototype.setAttribute = function (name, value) { real.call(this, name, name === "aria-label" && /^node/.test(value) ? "" : value); };' },
  { name: 'a tour says nothing to a voice', file: 'spoken', test: 'a tour', script: 'new MutationObserver(() => document.querySelectorAll(".tour [role=status]").forEach((p) => p.removeAttribute("role"))).observe(document, { subtree: true, childList: true });' },
  { name: 'a voice does not hear the verdict', file: 'spoken', test: 'a pair', script: 'new MutationObserver(() => document.querySelectorAll(".verdict [role=status]").forEach((p) => p.removeAttribute("role"))).observe(document, { subtree: true, childList: true });' },
  { name: 'a dialog has no name', file: 'spoken', test: 'a dialog', script: 'const real = Element.prototype.setAttribute; Element.prototype.setAttribute = function (name, value) { if (name !== "aria-label" || this.tagName !== "DIALOG") real.call(this, name, value); };' },
  { name: 'a leader of a pair does not lead', file: 'pair', test: 'two rings', script: frames('(f) => { if (f.node === 2 && f.state?.look === "leads") f.state.look = "follows"; }') },
  { name: 'the second of a pair is not known', file: 'pair', test: 'two rings', script: answered('gallery', '(answer) => { answer.algorithms = []; }') },
  { name: 'a pair counts no stale write', file: 'pair', test: 'compare counts', script: frames('(f) => { if (f.wrote) f.wrote.fate = "taken"; }') },
  { name: 'the gallery has stories of ours only', file: 'pair', test: 'the gallery', script: answered('gallery', '(answer) => { for (const s of answer.scenarios) s.algorithm = "bully"; }') },
  { name: 'a link to a story is not seen', file: 'pair', test: 'not there', script: 'history.replaceState(null, "", location.pathname);' },
  { name: 'a page is not told that it is of a pair', file: 'pair', test: 'workbench view', script: 'addEventListener("DOMContentLoaded", () => { document.getElementById("opened").textContent = ""; });' },
  { name: 'a served page asks for more', file: 'served', test: 'serves a page', script: 'addEventListener("load", () => { new Image().src = "/more"; });' },
  { name: 'a served file is wrong elsewhere', file: 'served', test: 'opens the file', script: answered('open', '(answer) => { if (answer.problem?.line) answer.problem.line++; }') },
  { name: 'a released page does not say which it is', file: 'released', test: 'which commit', script: 'addEventListener("DOMContentLoaded", () => document.querySelector("meta[name=commit]").remove());' },
  { name: 'a released page is not told what to play', file: 'released', test: 'by its name', script: 'addEventListener("DOMContentLoaded", () => { document.getElementById("opened").textContent = ""; });' },
  { name: 'a released engine does not know a golden trace', file: 'released', test: 'golden', script: answered('open', '(answer) => { answer.problem = { problem: "no" }; }') },
  { name: 'a released engine does not know a step', file: 'released', test: 'as they come', script: answered('feed', '(answer) => { answer.frames = []; }') },
  { name: 'a site is asked for what it has not', file: 'site', test: 'from the disk', script: 'addEventListener("load", () => { new Image().src = "none.png"; });' },
  { name: 'a link to a story is not seen in a folder', file: 'site', test: 'below a path', script: 'history.replaceState(null, "", location.pathname);' },
  { name: 'a page has no picture', file: 'site', test: 'what chats show', script: 'addEventListener("DOMContentLoaded", () => document.querySelector("meta[property=\'og:image\']")?.remove());' },
  { name: 'an embedded page is cut off', file: 'site', test: 'embedded, on a phone:', script: style('.embed { min-height: 1200px }') },
  { name: 'an embedded page is the whole page', file: 'site', test: 'embedded, on a desk', script: 'URLSearchParams.prototype.has = () => false; Array.prototype.includes = ((real) => function (what, ...more) { return what !== "embed" && real.call(this, what, ...more); })(Array.prototype.includes);' },
  { name: 'an embedded line is pale', file: 'site', test: 'embedded, on a phone, dark', script: style('[data-theme=dark] { --ink: #444444 !important }') },
  { name: 'an embedded page takes the focus', file: 'site', test: 'a page of somebody else', script: 'if (top !== self) setInterval(() => document.querySelector(".embed-play")?.focus(), 50);' },
  { name: 'a film has no steps', file: 'export', test: 'a film plays', script: 'const real = URL.createObjectURL; URL.createObjectURL = (blob) => real(blob.type !== "image/svg+xml" ? blob : new Blob(["<svg xmlns=\'http://www.w3.org/2000/svg\'><animate dur=\'9ms\'/></svg>"], { type: blob.type }));' },
  { name: 'a history is light though the page is dark', file: 'history', test: 'a phone, dark', script: style('body { background: #f7f6f2 !important }') },
  { name: 'a history has clients without ids', file: 'history', test: 'on a desk:', script: 'addEventListener("DOMContentLoaded", () => document.querySelectorAll(".who span").forEach((s, i) => { s.textContent = i; }));' },
  { name: 'a history is pale', file: 'history', test: 'a phone:', script: style(':root { --soft: #bbbbbb !important }') },
  { name: 'there are no workers', file: 'beside', test: 'ten thousand', script: 'delete globalThis.Worker;' },
  { name: 'the engine runs in the page', file: 'beside', test: 'in a worker', script: 'delete globalThis.Worker;' },
  { name: 'a late answer is shown', file: 'beside', test: 'opened meanwhile', script: `addEventListener('hashchange', (event) => event.stopImmediatePropagation(), true);` },
  { name: 'the page has no engine where it has no worker', file: 'beside', test: 'as one dies', script: `let engine; Object.defineProperty(globalThis, 'bullyEngine', { get: () => engine, set: (real) => {
    engine = { call: (method, args) => (method === 'open' ? '{"frames":[],"problem":{"problem":"no"}}' : real.call(method, args)) };
  } });` },
  { name: 'a hand-over names nobody', file: 'live', test: 'kill -9', script: 'const real = fetch; globalThis.fetch = (url, ...more) => real(String(url).replace(/.to=.*/, ""), ...more);' },
  { name: 'no steps come of a cluster', file: 'live', test: 'kill -9', script: 'globalThis.EventSource = class { close() {} };' },
  { name: 'another leads than is foretold', file: 'placement', test: 'who leads what', script: placed('?down', '(p) => { p.wanted = p.wanted.map(() => 0); }') },
  { name: 'a group is led by nobody', file: 'placement', test: 'who leads what', script: placed('/groups', '(p) => { p.leaders[0] = -1; }') },
];

// sabotage returns the break that BULLY_BREAK names.
export function sabotage(): string | undefined {
  const name = process.env['BULLY_BREAK'];
  if (!name) return undefined;
  const found = breaks.find((b) => b.name === name);
  if (!found) throw new Error(`BULLY_BREAK: there is no break ${name}`);
  return found.script;
}
