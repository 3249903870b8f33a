// What a lamp says, in words.
import type { Lamp } from '../types';
import { lightWord } from '../words';

// stateWords says whether a property holds, and of one that was broken when that was: "was broken at 1.288 s, holds now".
export function stateWords(lamp: Lamp, when: string, was: boolean): string {
  if (was) return `was broken at ${when}, holds now`;
  return `${lightWord(lamp.light)}${lamp.light === 'red' && when ? ` since ${when}` : ''}`;
}
