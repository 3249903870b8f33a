// Keys for the whole page. Whoever has the focus comes first: what is typed into a field, or moves in a menu, is not ours.
import { embedded } from '../embed/embedded';
import { dialog } from '../menu/which';
import { back, next, on } from '../tours/guide';
import { count, crash, seek, mayIntervene, playing, scene, seen, speed } from '../store';
import { faster } from './pacing';
import { halted, phaseBack, phaseOn, toggle, walk } from './player';

const typed = 'input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]';
const moves = 'select, [role=menu], [role=menuitem], [role=listbox], [role=option], [role=radio], [role=tree], [role=grid], input[type=radio]';
const presses = 'button, a[href], summary, input, [role=button], [role=menuitem], [role=option], [role=row]';

// leader returns who leads now: of several the one of the highest epoch; -1 if nobody does.
export function leader(): number {
  const nodes = scene.value?.nodes ?? [];
  return nodes.reduce((best, node, i) => (node.look === 'leads' && (best < 0 || node.epoch >= nodes[best]!.epoch) ? i : best), -1);
}

const keys: Record<string, (event: KeyboardEvent) => unknown> = {
  ' ': toggle,
  ArrowRight: (event) => walk(event.shiftKey ? 10 : 1, 1),
  ArrowLeft: (event) => walk(event.shiftKey ? 10 : 1, -1),
  Home: () => to(0),
  End: () => to(seen.value),
  '+': () => { speed.value = faster(speed.value, 1); },
  '=': () => { speed.value = faster(speed.value, 1); },
  '-': () => { speed.value = faster(speed.value, -1); },
  n: phaseOn,
  p: phaseBack,
  k: kill,
  '?': () => { if (!embedded) dialog.value = 'help'; },
};

// touring are the keys of a tour, while one is on: they come first.
const touring: Record<string, () => unknown> = { n: next, b: back };

function kill(): void {
  if (!mayIntervene.value) halted('This has happened already: nobody can be killed.');
  else if (leader() < 0) halted('Nobody leads now.');
  else void crash(leader());
}


function to(place: number): void {
  playing.value = false;
  if (place !== count.value) seek(place);
}

// keepKeys listens to keys from now on.
export function keepKeys(): void {
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.value || document.querySelector('dialog[open]')) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest(typed)) return;
    const moving = event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End';
    if (moving && target?.closest(moves)) return;
    if (event.key === ' ' && target?.closest(presses)) return;
    const does = (on.value ? touring[event.key] : undefined) ?? keys[event.key];
    if (!does) return;
    event.preventDefault();
    does(event);
  });
}
