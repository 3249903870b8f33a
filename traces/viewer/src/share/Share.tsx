// The dialog that makes a link.
import { useEffect, useState } from 'preact/hooks';
import { save } from '../menu/file';
import { saveRecording } from '../menu/save';
import { Dialog } from '../menu/Dialog';
import { source } from '../open/opening';
import { count, engine, recording, runSpec, theHandle } from '../store';
import { fragment, longest, type Linked } from './link';

interface Made { link: string; frame: string; holds: string; problem?: string }

// frameOf returns what another page has in it to show this one (HTML).
function frameOf(part: string, title: string): string {
  const text = (s: string) => s.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<iframe src="${text(`${location.href.replace(/#.*$/, '')}#embed&${part}`)}" title="${text(title)}" width="640" height="520" style="max-width: 100%; border: 0" loading="lazy"></iframe>`;
}

// whatIsShown returns what a link to the recording must hold: as little as makes it whole again.
export async function whatIsShown(): Promise<Linked | null> {
  const now = recording.value;
  if (!now) return null;
  if (runSpec.value) return { what: 'runSpec', runSpec: runSpec.value };
  if (source.value?.recording === now) return source.value.linked;
  const exported = await engine.value?.trace(theHandle());
  return exported && !exported.problem ? { what: 'file', file: { name: exported.name, text: exported.text } } : null;
}

async function make(here: boolean): Promise<Made> {
  const what = await whatIsShown();
  if (!what) return { link: '', frame: '', holds: '', problem: 'There is nothing here that a link could hold.' };
  const part = await fragment(here ? { ...what, at: count.value } : what);
  if (part.length > longest) {
    return { link: '', frame: '', holds: '', problem: `The file is too large for a link: packed it has ${Math.ceil(part.length / 1024)} kB, and browsers and chats ` +
      `cut links off above ${longest / 1024} kB. Send the file itself; whoever has it drops it on this page.` };
  }
  return { link: location.href.replace(/#.*$/, '') + '#' + part, frame: frameOf(part, recording.value?.header.title ?? ''), holds: holding(what) };
}

function holding(what: Linked): string {
  if (what.what === 'tour' || what.what === 'story') return `It names a ${what.what} that is in every such page.`;
  if (what.what === 'golden') return 'It names a trace that is in every such page.';
  if (what.what === 'file') return `It holds all of ${what.file.name || 'the file'}: no server keeps or sees it.`;
  const done = what.runSpec.do.length;
  const also = done === 0 ? '' : done === 1 ? ' and the one thing that was done to it' : ` and the ${done} things that were done to it`;
  return `It holds the whole run: algorithm, nodes, seed ${what.runSpec.seed}${also}. Whoever opens it sees the same, to the last step.`;
}

export function ShareDialog() {
  const [here, setHere] = useState(true);
  const [made, setMade] = useState<Made | null>(null);
  const [copied, setCopied] = useState('');
  useEffect(() => {
    let late = false;
    void make(here).then((result) => { if (!late) setMade(result); });
    return () => { late = true; };
  }, [here, here && count.value]);
  const copy = async (field: HTMLInputElement) => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      setCopied('Copied.');
    } catch {
      setCopied(document.execCommand('copy') ? 'Copied.' : 'Your browser does not let the page copy: the link is selected, copy it yourself.');
    }
  };
  return (
    <Dialog title="Share it">
      {made?.problem && <p role="alert">{made.problem}</p>}
      {made?.problem && recording.value && <div class="dialog-foot"><button type="button" class="main" onClick={saveWhole}>Save the file</button></div>}
      {made && !made.problem && <>
        <p>{made.holds}</p>
        <form class="share-line" onSubmit={(event) => { event.preventDefault(); void copy(event.currentTarget.elements.namedItem('link') as HTMLInputElement); }}>
          <input name="link" readOnly value={made.link} aria-label="The link" onFocus={(event) => event.currentTarget.select()} />
          <button type="submit" class="main">Copy</button>
        </form>
        <p role="status">{copied}</p>
        <label class="check"><input type="checkbox" checked={here} onChange={(event) => { setCopied(''); setHere(event.currentTarget.checked); }} /> Open it here, at step {count}</label>
        <details class="share-frame"><summary>Put it into a page</summary>
          <p class="soft">The picture, a button and a link, and no more: HTML for a page of yours. <code>workbench view -site folder</code> writes what a web server needs for it.</p>
          <textarea readOnly rows={4} aria-label="HTML for another page" value={made.frame} onFocus={(event) => event.currentTarget.select()} />
        </details>
        {location.protocol === 'file:' && <p class="soft">This page is a file: the link works where the same file is at the same place. What comes after the # works behind any copy of the page.</p>}
      </>}
    </Dialog>
  );
}

function saveWhole(): void {
  const linked = source.value?.recording === recording.value ? source.value?.linked : undefined;
  if (linked?.what === 'file') save(linked.file.name || 'trace.ndjson', linked.file.text, 'application/x-ndjson');
  else saveRecording();
}
