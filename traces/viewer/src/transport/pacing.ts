// How long a frame takes while a recording plays. People follow frames, not time: in a run a millisecond may hold a whole election,
// and a third of a second nothing. So each frame that is shown takes about as long; what happens at the same moment takes
// less, and a long wait a little more.
import type { Frame } from '../types';

const usual = 700;     // milliseconds of the people who look on
const together = 300;  // what happens at the same moment as the frame before, or changes nothing
const waits = 900;     // at most so much more, for a long wait

export interface Pace {
  speed: number;
  timed: boolean;      // the recording knows times
}

// pace returns how many milliseconds pass until a frame has come, and last is when the last one was that is shown.
export function pace(frame: Frame, last: number, { speed, timed }: Pace): number {
  const gap = timed ? Math.max(0, frame.at - last) : 1;
  const idle = !frame.state && !frame.sends?.length && !frame.cut && !frame.indicators?.length && !frame.by;
  if (gap === 0 || (idle && gap < 30_000)) return together / speed;
  if (!timed) return usual / speed;
  // A wait of 10 ms is as any other; of 100 ms it takes 300 ms more, of a second 600.
  const longer = Math.min(waits, Math.max(0, 300 * Math.log10(gap / 10_000)));
  return (usual + longer) / speed;
}

const read = 3000;     // milliseconds for which a crash that people have caused is to be seen before anything follows

// hold returns how long a frame stays at least, before the next one comes.
export function hold(frame: Frame | undefined, speed: number): number {
  return frame?.by === 'you' && frame.kind === 'crash' ? Math.min(read, 2 * read / speed) : 0;
}

export const speeds = [0.25, 0.5, 1, 2, 4, 8, 16] as const;

// faster returns the next speed up or down.
export function faster(speed: number, by: 1 | -1): number {
  const at = speeds.findIndex((s) => s >= speed);
  return speeds[Math.max(0, Math.min(speeds.length - 1, (at < 0 ? speeds.length - 1 : at) + by))]!;
}
