// The frame of every dialog: the browser's own, which keeps the keys within, and ends with Escape.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './Icon';
import { dialog } from './which';

const usual = () => { dialog.value = null; };

interface Props { title: string; wide?: boolean; children: ComponentChildren; shut?: () => void }

export function Dialog({ title, wide, children, shut = usual }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = ref.current!;
    const abort = new AbortController(); // what closes after this dialog is another's business
    element.addEventListener('close', shut, { signal: abort.signal });
    element.showModal();
    return () => { abort.abort(); element.close(); };
  }, []);
  return (
    <dialog ref={ref} class={wide ? 'dialog wide' : 'dialog'} aria-label={title}
      onClick={(event) => { if (event.target === ref.current) shut(); }}>
      <div class="dialog-inside">
        <div class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={shut}><Icon name="close" /></button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
