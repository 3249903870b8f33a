// What an indicator says, in words.
import type { Indicator } from '../types';
import { lightWord } from '../words';

// stateWords says whether a property holds, and of one that was broken when that was: "was broken at 1.288 s, holds now".
export function stateWords(indicator: Indicator, when: string, was: boolean): string {
  if (was) return `was broken at ${when}, holds now`;
  return `${lightWord(indicator.light)}${indicator.light === 'red' && when ? ` since ${when}` : ''}`;
}

// asShown returns an indicator as it is shown. That somebody leads need not hold while too few run: it is green then, as nothing is broken; but nobody who sees that
// nobody leads would believe "holds".
export function asShown(indicator: Indicator, somebodyLeads: boolean): Indicator {
  return indicator.name === 'SomeLeader' && indicator.light === 'green' && !somebodyLeads ? { ...indicator, light: 'amber' } : indicator;
}
