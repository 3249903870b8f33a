// What an indicator says, in words.
import type { Indicator } from '../types';
import { lightWord } from '../words';

// stateWords says whether a property holds, and of one that was broken when that was: "was broken at 1.288 s, holds now".
export function stateWords(indicator: Indicator, when: string, was: boolean): string {
  if (was) return `was broken at ${when}, holds now`;
  return `${lightWord(indicator.light)}${indicator.light === 'red' && when ? ` since ${when}` : ''}`;
}
