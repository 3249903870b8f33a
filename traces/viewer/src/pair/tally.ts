// What came of each side of a pair, counted from its frames; and the verdict, in words.
import type { Frame, Side } from '../types';
import { time } from '../words';

// Tally is what there has been. Times are in microseconds.
export interface Tally {
  two: number;       // for how long more than one led
  none: number;      // for how long nobody did, after the first
  same: number;      // how many led one epoch, at most
  stale: number;     // writes of a past reign that were taken
  refused: number;
  reigns: number;
  elections: number; // messages of elections
}

// tally counts what has happened on a side when so many frames have happened, up to a time.
export function tally(frames: Frame[], count: number, side: Side, until: number): Tally {
  const all: Tally = { two: 0, none: 0, same: 0, stale: 0, refused: 0, reigns: 0, elections: 0 };
  const leads = new Map<number, number>(); // who leads, and which epoch: paused or not
  const acts = new Set<number>();
  const epochs = new Map<number, Set<number>>();
  const mine = new Set([...side.nodes, ...side.servers]);
  let last = 0;
  const pass = (at: number): void => {
    if (acts.size > 1) all.two += at - last;
    if (acts.size === 0 && all.reigns > 0) all.none += at - last;
    last = at;
  };
  for (const frame of frames.slice(0, count)) {
    if (!mine.has(frame.node)) continue;
    pass(frame.at);
    all.elections += frame.sends?.filter((m) => !m.upkeep).length ?? 0;
    const { state, wrote } = frame;
    if (wrote?.fate === 'stale') all.stale++;
    if (wrote?.fate === 'refused') all.refused++;
    if (!state) continue;
    if (state.look !== 'leads') leads.delete(frame.node);
    else if (leads.get(frame.node) !== state.epoch) {
      all.reigns++;
      leads.set(frame.node, state.epoch);
      if (state.epoch > 0) epochs.set(state.epoch, (epochs.get(state.epoch) ?? new Set()).add(frame.node));
    }
    if (state.look === 'leads' && !state.paused) acts.add(frame.node);
    else acts.delete(frame.node);
  }
  pass(Math.max(last, until));
  all.same = Math.max(0, ...[...epochs.values()].map((who) => who.size));
  return all;
}

type Measure = (of: Tally, over: boolean) => string;

const many = (n: number, one: string, more: string): string => `${n === 0 ? 'no' : n} ${n === 1 ? one : more}`;
const two: Measure = (t, over) => (t.two > 0 ? `two leaders for ${time(t.two)}` : t.reigns === 0 ? 'no leader yet' : over ? 'never two leaders' : 'no two leaders so far');
const stale: Measure = (t) => many(t.stale, 'stale write', 'stale writes');
const none: Measure = (t) => (t.reigns === 0 ? 'nobody has led' : t.none > 0 ? `nobody led for ${time(t.none)}` : 'somebody always led');
const reigns: Measure = (t) => many(t.reigns, 'reign', 'reigns');
const elections: Measure = (t) => `${many(t.elections, 'message', 'messages')} for elections`;
const same: Measure = (t) => (t.same > 1 ? `${t.same} leaders of one epoch` : 'one leader an epoch');
const refused: Measure = (t) => (t.refused > 0 ? many(t.refused, 'write refused', 'writes refused') : '');

// measures are what a verdict says, by what goes wrong in the story.
const measures: Record<string, Measure[]> = {
  'two leaders': [two, stale], 'two leaders in one epoch': [same, two], 'a stale write': [stale, refused], 'no leader': [none],
  'a leader deposed for nothing': [reigns, none], 'a herd': [elections, none],
};

// verdict says what has come of a side, so far or in all.
export function verdict(of: Tally, flaw: string, over: boolean): string {
  return (measures[flaw] ?? [two, none]).map((says) => says(of, over)).filter((said) => said !== '').join(', ');
}
