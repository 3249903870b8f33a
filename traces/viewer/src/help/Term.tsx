// A word that says what it means: under the pointer, when it is pressed, and to a screen reader with its name. The tip stands in the page, so that
// its rules can be reached, too.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { meaning } from '../glossary';
import { Prose } from '../panel/Prose';
import { recording } from '../store';
import { capital } from '../words';
import './help.css';

interface Props { word: string; kind?: string; children?: ComponentChildren }

// Term is a word of the glossary. A word that is not in it is just said.
export function Term({ word, kind, children }: Props) {
  const says = meaning(recording.value?.header, word, kind);
  return says ? <Said title={word} says={says}>{children ?? word}</Said> : <>{children ?? word}</>;
}

// Said is a word with what is said of it.
export function Said({ title, says, children, of = 'term' }: { title: string; says: string; children: ComponentChildren; of?: string }) {
  const id = useId();
  const [open, setOpen] = useState<'' | 'pointed' | 'pressed'>('');
  const box = useRef<HTMLSpanElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!open || !box.current || !tip.current) return;
    put(tip.current, box.current.getBoundingClientRect());
    const shut = () => setOpen('');
    const outside = (event: Event) => { if (event.target instanceof Node && !box.current?.contains(event.target)) shut(); };
    const moves = (event: Event) => { if (event.target instanceof Node && event.target.contains(box.current)) shut(); }; // what scrolls elsewhere leaves the word where it is
    document.addEventListener('scroll', moves, true);
    document.addEventListener('pointerdown', outside, true);
    return () => { document.removeEventListener('scroll', moves, true); document.removeEventListener('pointerdown', outside, true); };
  }, [open]);
  return (
    <span class="term-box" ref={box} onPointerLeave={() => { if (open === 'pointed') setOpen(''); }}
      onFocusOut={(event) => { if (!(event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget))) setOpen(''); }}
      onKeyDown={(event) => { if (open && event.key === 'Escape') { setOpen(''); event.stopPropagation(); event.preventDefault(); } }}>
      <button type="button" class={of} aria-expanded={open !== ''} aria-describedby={id} onPointerEnter={(event) => { if (event.pointerType === 'mouse' && !open) setOpen('pointed'); }}
        onClick={() => setOpen(open === 'pressed' ? '' : 'pressed')}>{children}</button>
      <span class="term-tip" role="tooltip" id={id} ref={tip} hidden={!open}><dfn>{capital(title)}.</dfn> <Prose text={says} /></span>
    </span>
  );
}

// put places a tip below its word, or above where there is no room, and within the window.
function put(tip: HTMLElement, word: DOMRect): void {
  const bottom = Math.min(innerHeight, document.querySelector('.transport')?.getBoundingClientRect().top ?? innerHeight);
  const { offsetWidth: wide, offsetHeight: high } = tip;
  tip.style.left = `${Math.max(4, Math.min(word.left, document.documentElement.clientWidth - wide - 4))}px`;
  tip.style.top = `${word.bottom + high + 4 > bottom && word.top > high + 8 ? word.top - high - 2 : word.bottom + 2}px`;
}
