// What a state says, row by row, and what is not as it was: pure functions.
import type { Due, Frame, NodeState } from '../types';
import { configurationOf, kindIn, stampWords } from '../members/who';
import { capital, epochName, isServer, nodeName, shorten, type Cast } from '../words';

// Row is a part of a state. Was is what it was before, if that is something else; '' stands for nothing.
export interface Row { name: string; is: string; was?: string }

// rows returns what a state says, and what has changed since the one before it, if there is one: that comes first.
export function rows(recording: Cast, node: number, now: NodeState, before?: NodeState): Row[] {
  const is = parts(recording, node, now);
  if (!before) return [...is].map(([name, value]) => ({ name, is: value }));
  const was = parts(recording, node, before);
  const names = new Set(now.unheard ? is.keys() : [...is.keys(), ...was.keys()]); // what is not heard any more is not gone
  const all = [...names].map((name) => {
    const row: Row = { name, is: is.get(name) ?? '' };
    const old = was.get(name) ?? '';
    return said(old) === said(row.is) ? row : { ...row, was: old };
  });
  return [...all.filter((row) => row.was !== undefined), ...all.filter((row) => row.was === undefined)];
}

// said returns a value as people understand it: that there is none is the same whether it is said or not.
function said(value: string): string { return ['none', 'nobody', 'no', '0'].includes(value) ? '' : value; }

const own = new Set(['role', 'leader', 'epoch', 'term', 'revision']); // fields that every state has, and that have their rows already

function parts(recording: Cast, node: number, state: NodeState): Map<string, string> {
  const out = new Map<string, string>([['role', state.role]]);
  if (!isServer(recording, node)) {
    out.set('its leader', state.leader === node ? 'itself' : state.leader >= 0 ? capital(nodeName(recording, state.leader)) : 'nobody');
    if (state.epoch > 0) out.set(epochName(recording), String(state.epoch));
  }
  for (const field of state.fields ?? []) if (!own.has(field.name)) out.set(field.name, shorten(recording, field.value));
  const members = configurationOf(recording, state.configuration);
  if (members) {
    out.set('members', stampWords(members) + (state.settled ? ', settled' : ''));
    out.set('kind', kindIn(members, node) ?? 'no member');
  }
  if (state.disk) out.set('on disk', shorten(recording, state.disk));
  if (state.saving) out.set('disk', 'is being written; what was sent waits for it');
  if (state.writing) out.set('writes', 'it has looked whether it leads; its write is on its way');
  if (state.paused) out.set('paused', 'yes');
  return out;
}

// TimerRow is a timer: one that runs, and how long still, or one that has stopped.
export interface TimerRow { timer: string; left?: number; change?: 'set' | 'set again' | 'stopped' | 'ended' }

// timerRows returns the timers of a state, and those that the state before it had. Ended is the one that has just ended.
export function timerRows(now: NodeState, before: NodeState | undefined, at: number, ended?: string): TimerRow[] {
  const was = new Map((before?.timers ?? []).map((due) => [due.timer, due]));
  const out = (now.timers ?? []).map((due): TimerRow => {
    const old = was.get(due.timer);
    was.delete(due.timer);
    const row: TimerRow = { timer: due.timer };
    if (due.at) row.left = Math.max(0, due.at - at);
    if (before && !old) row.change = 'set';
    else if (old && (old.at !== due.at || due.timer === ended)) row.change = 'set again';
    return row;
  });
  for (const timer of was.keys()) out.push({ timer, change: timer === ended ? 'ended' : 'stopped' });
  return out;
}

// endedBy returns the timer that ended in a frame, if one did: that which was due first, as frames do not name it.
export function endedBy(frame: Frame | undefined, before: NodeState | undefined): string | undefined {
  if (frame?.kind !== 'timer') return undefined;
  const due = (before?.timers ?? []).filter((d): d is Required<Due> => d.at !== undefined && d.at <= frame.at);
  return due.sort((a, b) => a.at - b.at)[0]?.timer;
}
