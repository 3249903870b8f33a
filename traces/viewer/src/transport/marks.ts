// Marks under the slider: where there may be something to see.
import type { Frame } from '../types';

export type Mark = 'fault' | 'yours' | 'leads' | 'red' | 'members';

const most = 240; // more cannot be told apart

// marks returns the places, as counts of frames, of what people look for: a broken property above all.
export function marks(frames: Frame[]): { place: number; mark: Mark }[] {
  const found: { place: number; mark: Mark }[] = [];
  const leads = new Set<number>();
  frames.forEach((frame, i) => {
    const now = frame.state ? frame.state.look === 'leads' : leads.has(frame.node);
    const crowned = now && !leads.has(frame.node);
    if (now) leads.add(frame.node); else leads.delete(frame.node);
    const mark = frame.indicators?.some((indicator) => indicator.light === 'red') ? 'red'
      : frame.by === 'you' ? 'yours'
      : ['crash', 'pause', 'links'].includes(frame.kind) || frame.state?.unheard ? 'fault'
      : frame.action === 'Change' ? 'members'
      : crowned ? 'leads' : undefined;
    if (mark) found.push({ place: i + 1, mark });
  });
  if (found.length <= most) return found;
  const every = Math.ceil(found.length / most);
  return found.filter(({ mark }, i) => mark === 'red' ? found.findIndex((f) => f.mark === 'red') === i || i % every === 0 : i % every === 0);
}
