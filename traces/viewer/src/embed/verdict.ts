// What came of a run up to now, in a line: the properties that were broken, or that all hold.
import type { Scene } from '../recording';
import type { Light } from '../types';
import { indicatorWord, moment } from '../words';
import type { Recording } from '../recording';

export interface Line { light: Light | 'was'; says: string }

// verdictOf returns the line; null of a recording without properties.
export function verdictOf(recording: Recording, scene: Scene): Line | null {
  const all = scene.indicators;
  if (all.length === 0) return null;
  const at = (frame: number): string => moment(recording, recording.frames[frame]?.at ?? 0);
  const named = (light: Light) => all.filter((i) => i.light === light).map((i) => i.name);
  const red = named('red').map((name) => `${indicatorWord(name)}${scene.why[name] ? ` (${at(scene.why[name].frame)})` : ''}`);
  if (red.length > 0) return { light: 'red', says: `Broken: ${red.join(', ')}` };
  const was = Object.entries(scene.was).map(([name, why]) => `${indicatorWord(name)} (${at(why.frame)})`);
  if (was.length > 0) return { light: 'was', says: `Was broken, holds now: ${was.join(', ')}` };
  const amber = named('amber').map(indicatorWord);
  if (amber.length > 0) return { light: 'amber', says: `Not now: ${amber.join(', ')}` };
  return { light: 'green', says: `All hold: ${all.map((i) => indicatorWord(i.name)).join(', ')}` };
}
