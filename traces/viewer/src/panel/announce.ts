// Says in one sentence what has just happened, to people who do not see it.
import { effect } from '@preact/signals';
import type { Recording, Scene } from '../recording';
import { recording, playing, said, scene } from '../store';
import { aside, on } from '../tours/guide';
import { indicatorWord, lightWord, sentence, shorten } from '../words';

const every = 1500; // milliseconds between two sentences while the recording plays: a voice needs them

// weighty reports whether a frame must be heard while the recording plays: who leads, who is down, what is broken.
export function weighty(shown: Recording, now: Scene): boolean {
  const frame = now.frame;
  if (!frame) return false;
  const leads = frame.state !== undefined && (frame.state.look === 'leads') !== (now.before?.look === 'leads');
  return leads || frame.state?.unheard === true || (frame.indicators?.length ?? 0) > 0 || ['crash', 'restart', 'pause', 'resume', 'links'].includes(frame.kind) || shown.frames.length === now.count;
}

// announcement returns the sentence.
export function announcement(shown: Recording, now: Scene): string {
  const frame = now.frame;
  if (!frame) return shown.header.title;
  const indicators = (frame.indicators ?? []).map((indicator) => `${indicatorWord(indicator.name)}: ${lightWord(indicator.light)}.`).join(' ');
  const note = frame.note ? shorten(shown, frame.note) : '';
  const said = `${sentence(shown, frame)}${/^[A-Z]/.test(note) ? `. ${note}` : note && `: ${note}`}`;
  return `${said}${/[.!?]$/.test(said) ? '' : '.'} ${indicators}`.trim();
}

// announce does so from now on, and returns what ends it.
export function announce(): () => void {
  let last = 0;
  return effect(() => {
    const shown = recording.value;
    const now = scene.value;
    if (!shown || !now || (on.value && !aside.value)) return; // a tour speaks for itself
    const time = Date.now();
    if (playing.peek() && (!weighty(shown, now) || (time - last < every && !now.frame?.indicators?.length))) return;
    last = time;
    said.value = announcement(shown, now);
  });
}
