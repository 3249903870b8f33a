// How long leaders may act, in a film: the band round one shrinks while the run goes on, and grows when a quorum has answered.
import type { Place } from '../ring/geometry';
import { left } from '../ring/writes';
import type { Recording, Scene } from '../recording';
import { blink, share, type Clock } from './clock';
import { colourOf } from './marks';
import { n } from './svg';

// Reign is a time in which a node leads, and it is known how long it may act: the stills in which it does, and what is left of its lease, from 1 to 0, at moments of the film.
interface Reign { epoch: number; paused: boolean; stills: number[]; moments: { at: number; left: number }[] }

// leases draws those of a node.
export function leases(recording: Recording, scenes: Scene[], clock: Clock, node: number, place: Place): string {
  return reignsOf(recording, scenes, clock, node).map((reign) => {
    const turned = `rotate(-90 ${n(place.x)} ${n(place.y)})`;
    return blink(clock, reign.stills, `<circle cx="${n(place.x)}" cy="${n(place.y)}" r="${n(place.r + 4.5)}" transform="${turned}" pathLength="1" stroke="${colourOf(reign.epoch)}" ` +
      `stroke-width="7" stroke-dasharray="1"${reign.paused ? ' opacity=".4"' : ''}>${shrinking(clock, reign)}</circle>`, ` data-lease="${node}"`);
  }).join('\n');
}

function reignsOf(recording: Recording, scenes: Scene[], clock: Clock, node: number): Reign[] {
  const all: Reign[] = [];
  let now: Reign | null = null;
  scenes.forEach((scene, still) => {
    const { look, lease, epoch, paused = false } = scene.nodes[node]!;
    const share = look === 'leads' && recording.header.timed ? left(lease, scene.at) : null;
    if (share === null) { now = null; return; }
    if (now?.epoch !== epoch || now.paused !== paused) all.push((now = { epoch, paused, stills: [], moments: [] }));
    now.stills.push(still);
    now.moments.push({ at: clock.stills[still]!.at, left: share }, ...until(recording, scenes, clock, node, still));
  });
  return all;
}

// until returns what is left of the lease between a still and the next: frames that are not shown may renew it.
function until(recording: Recording, scenes: Scene[], clock: Clock, node: number, still: number): Reign['moments'] {
  const [from, to] = [scenes[still]!, scenes[still + 1]];
  if (!to) return [];
  const [begins, ends] = [clock.stills[still]!.at, clock.stills[still + 1]!.at];
  let { lease } = from.nodes[node]!;
  const moments: Reign['moments'] = [];
  const note = (at: number): void => {
    const passed = to.at > from.at ? (at - from.at) / (to.at - from.at) : 1;
    moments.push({ at: Math.round(begins + passed * (ends - begins)), left: left(lease, at) ?? 0 });
  };
  for (const frame of recording.frames.slice(from.count, to.count - 1)) {
    if (frame.node !== node || !frame.state) continue;
    note(frame.at);
    lease = frame.state.lease;
    note(frame.at);
  }
  note(to.at);
  return moments;
}

function shrinking(clock: Clock, { moments }: Reign): string {
  const all = moments.map((m) => ({ ...m }));
  if (all[0]!.at > 0) all.unshift({ ...all[0]!, at: 0 });
  if (all.at(-1)!.at < clock.long) all.push({ ...all.at(-1)!, at: clock.long });
  return `<animate attributeName="stroke-dashoffset" dur="${clock.long}ms" repeatCount="indefinite" values="${all.map((m) => Math.round(1e3 * (1 - m.left)) / 1e3).join(';')}" ` +
    `keyTimes="${all.map((m) => share(m.at, clock.long)).join(';')}"/>`;
}
