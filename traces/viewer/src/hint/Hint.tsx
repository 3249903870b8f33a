import { recording, scene } from '../store';
import { hint, words } from './acts';
import { Icon } from '../menu/Icon';

const coarse = typeof matchMedia === 'undefined' ? null : matchMedia('(pointer: coarse)'); // a finger taps

// Hint says what is true now. While nothing is, it keeps its room: nothing must move under a finger that is aiming.
export function Hint() {
  const now = hint.value;
  if (!now || !recording.value || !scene.value) return null;
  const said = words(recording.value, scene.value, now, coarse?.matches ? 'Tap' : 'Click');
  return (
    <div class={`hint${said ? '' : ' hint-silent'}`} role="status">
      {said && <p><strong>{said.title}</strong> {said.text}</p>}
      {said && <button type="button" class="quiet" aria-label="No more hints" onClick={() => { hint.value = null; }}><Icon name="close" /></button>}
    </div>
  );
}
