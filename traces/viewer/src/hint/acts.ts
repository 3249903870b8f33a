// What the page says to whoever comes for the first time: little, at the right moment, so that no manual is needed.
import { effect, signal } from '@preact/signals';
import { recording, length, playing, runSpec, scene, speed } from '../store';
import type { Recording, Scene } from '../recording';
import { epochName, nodeId } from '../words';
import { electing } from './election';

// Act is how far the visitor has come: a leader is being elected; it is to be killed; another is being elected; another leads.
export type Act = 'elect' | 'kill' | 'again' | 'free';

export const hint = signal<{ act: Act; leader: number } | null>(null);

// runs reports whether a node has started, and has not crashed. What has not started is not dead.
const runs = (look: string): boolean => look !== 'down' && look !== 'serves';
const dead = (now: Scene, node: number): boolean => now.nodes[node]?.look === 'down' && now.nodes[node].role !== 'not started';

// enough reports whether more than half of all nodes run: without them nobody is elected.
function enough(now: Scene): boolean {
  const voters = now.nodes.filter((n) => n.look !== 'serves');
  return 2 * voters.filter((n) => runs(n.look)).length > voters.length;
}

const running = (now: Scene): number[] => [...now.nodes.keys()].filter((node) => runs(now.nodes[node]!.look));

// agreed returns who leads if all that are up, a quorum of all, follow it; -1 otherwise.
export function agreed(now: Scene): number {
  const led = now.nodes.findIndex((n) => n.look === 'leads');
  if (led < 0 || !enough(now)) return -1;
  const leader = now.nodes[led]!;
  const follows = (n: Scene['nodes'][number]) => n.look === 'follows' && n.leader === led && n.epoch === leader.epoch;
  return now.nodes.every((n) => n === leader || !runs(n.look) || follows(n)) ? led : -1;
}

const brisk = 2; // the speed until the first leader is killed and the second leads: all of it within a minute

// startHint begins to help with the run that is shown, until another is shown or the visitor needs no help any more.
export function startHint(): void {
  speed.value = brisk;
  hint.value = { act: 'elect', leader: -1 };
  const seed = runSpec.value?.seed;
  let since = 0;                   // after how many frames the leader was killed: who leads later is another reign
  let left = runSpec.value;         // the run as it was when the visitor needed no help any more
  const stop = effect(() => {
    const now = scene.value;
    const run = runSpec.value;
    if (!now || !recording.value || hint.value === null) return;
    const { act, leader } = hint.value;
    if (run?.seed !== seed || run?.scenario || (act === 'free' && run !== left)) { hint.value = null; return; }
    const leads = agreed(now);
    if (act === 'elect' || (act === 'again' && now.count > since)) {
      if (leads < 0) return;
      playing.value = false;
      hint.value = { act: act === 'elect' ? 'kill' : 'free', leader: leads };
      left = run;
      if (act === 'again') speed.value = 1;
    } else if (act === 'kill' && dead(now, leader) && now.count === length.value) {
      since = now.count;
      hint.value = { act: 'again', leader };
      playing.value = true;
    } else if (act === 'kill' && leads >= 0 && leads !== leader) {
      hint.value = { act, leader: leads }; // the one before resigned, or was cut off
    }
  });
  const end = effect(() => {
    if (hint.value !== null) return;
    speed.value = 1;
    queueMicrotask(() => { stop(); end(); });
  });
}

// Words are what is said: a title, and what to do or to look at.
export interface Words { title: string; text: string }

// words returns what to say, or null: visitors step back, restart and cut as they like, and each act is said only where it is
// true of what they see. Press is what people do with what they point at: click it, or tap it.
export function words(of: Recording, now: Scene, { act, leader }: { act: Act; leader: number }, press = 'Click'): Words | null {
  const name = (node: number) => nodeId(of, node);
  switch (act) {
    case 'elect': return agreed(now) >= 0 || !enough(now) ? null
      : { title: now.nodes.some((n) => n.look === 'leads') ? 'The first leader.' : 'Nobody leads yet.', text: electing(now, running(now), -1, name) };
    case 'kill': return now.nodes[leader]?.look !== 'leads' ? null
      : { title: `${name(leader)} leads.`, text: `${press} it to kill it, and see who is next.` };
    case 'again': return !dead(now, leader) || !enough(now) || agreed(now) >= 0 ? null
      : { title: `${name(leader)} is dead.`, text: electing(now, running(now), leader, name) };
    case 'free': return freely(of, now, name, press);
  }
}

// freely says who leads now, by what right, and what else can be done: on phones in fewer words.
function freely(of: Recording, now: Scene, name: (node: number) => string, press: string): Words | null {
  const leads = agreed(now);
  if (leads < 0) return null;
  const highest = now.nodes.findLastIndex((n) => runs(n.look)) === leads ? ': of those that are alive it has the highest id' : '';
  const gone = now.nodes.findIndex((_, node) => dead(now, node));
  const back = gone < 0 ? 'Kill another' : `Bring ${name(gone)} back`;
  const right = `A majority granted it ${epochName(of)} ${now.nodes[leads]!.epoch}`;
  return {
    title: `Now ${name(leads)} leads${highest}.`,
    text: press === 'Tap' ? `${right}: nobody else can lead that one. ${back}, cut a link, or step back.`
      : `${right}, so nobody else can lead that one. ${back}, drag from node to node to cut a link, or step back and do something else.`,
  };
}
