// The dialog that opens files, and what makes dropping and pasting work anywhere.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from '../menu/Dialog';
import { dialog } from '../menu/which';
import { forgetLink, openBlob, openFile, openHash, opening } from './opening';

const over = signal(false); // something is held over the page

export function OpenDialog() {
  const area = useRef<HTMLTextAreaElement>(null);
  const pasted = async () => {
    const text = area.current!.value;
    dialog.value = null;
    await openPasted(text);
  };
  return (
    <Dialog title="Open a file">
      <p>
        A trace of this project, a recording, what TLC prints when it finds a counterexample, or one that <code>workbench check</code> has written. You may
        also drop a file anywhere on this page, or paste it. Nothing leaves your browser.
      </p>
      <label class="file">
        <span>Choose a file</span>
        <input type="file" onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) { dialog.value = null; void openBlob(file); }
        }} />
      </label>
      <label class="field">
        <span>Or paste it here</span>
        <textarea ref={area} rows={8} spellcheck={false} placeholder={'{"format":1, …'} />
      </label>
      <div class="dialog-foot"><button type="button" class="main" onClick={() => void pasted()}>Open what is pasted</button></div>
    </Dialog>
  );
}

// openPasted opens a text: a link of ours is opened as such.
async function openPasted(text: string): Promise<void> {
  const link = /^\S*#([rfg]=\S+)$/.exec(text.trim());
  if (link ? await openHash(link[1]!) : await openFile({ name: 'pasted', text })) forgetLink();
}

// Opening says that a large file is being opened. What is shown goes on meanwhile.
export function Opening() {
  return <p class="opening" role="status">{opening.value && `Opening ${opening.value} …`}</p>;
}

export function DropZone() {
  useEffect(() => {
    const abort = new AbortController();
    const listen = <K extends keyof WindowEventMap>(type: K, does: (event: WindowEventMap[K]) => void): void =>
      window.addEventListener(type, does, { signal: abort.signal });
    // Only what comes from outside the page: dragging from node to node is another matter.
    const outside = (event: DragEvent) => event.dataTransfer?.types.some((t) => t === 'Files' || t === 'text/plain') ?? false;
    listen('dragover', (event) => { if (outside(event)) { event.preventDefault(); over.value = true; } });
    listen('dragleave', (event) => { if (!event.relatedTarget) over.value = false; });
    listen('drop', (event) => {
      over.value = false;
      if (!outside(event)) return;
      event.preventDefault();
      dialog.value = null;
      const file = event.dataTransfer!.files[0];
      void (file ? openBlob(file) : openPasted(event.dataTransfer!.getData('text/plain')));
    });
    listen('paste', (event) => {
      if (event.target instanceof Element && event.target.closest('input, textarea')) return;
      const file = event.clipboardData?.files[0];
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (!file && text.trim() === '') return;
      event.preventDefault();
      dialog.value = null;
      void (file ? openBlob(file) : openPasted(text));
    });
    return () => abort.abort();
  }, []);
  return over.value ? <div class="drop" aria-hidden="true"><p>Drop it: the page opens it</p></div> : null;
}
