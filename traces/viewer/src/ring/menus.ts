// What can be done to a node, a message or a link, as menus.
import * as store from '../store';
import type { Recording, Flight, Scene } from '../recording';
import type { Link, NodeState } from '../types';
import { memberships, membershipWords, type Membership } from '../members/who';
import { capital, doing, epochName, isServer, linkWord, messageWords, nodeId, nodeName, time, timerWord } from '../words';
import { pairs } from './geometry';
import { choose, chosen, did } from './hand';

// Item is a line of a menu: it does something, or leads to another menu, or is a heading.
export type Item = { label: string; hint?: string; danger?: boolean } & ({ does: () => void } | { more: () => Menu } | { heading: true });

export interface Menu { title: string; says: string; items: Item[] }

const act = (label: string, does: () => void, hint?: string, danger?: boolean): Item =>
  ({ label, does: () => { does(); did(); }, ...(hint && { hint }), ...(danger && { danger }) });
const look = (label: string, does: () => void): Item => ({ label, does });

// present returns what is shown now, if there is anything.
function present(): { recording: Recording; scene: Scene } | null {
  const recording = store.recording.peek();
  const scene = store.scene.peek();
  return recording && scene ? { recording, scene } : null;
}

// nodeMenu returns what can be done to a node. First comes what people most want to do to it.
export function nodeMenu(node: number): Menu | null {
  const here = present();
  const state = here?.scene.nodes[node];
  if (!here || !state) return null;
  const { recording, scene } = here;
  const up = state.look !== 'down';
  const items: Item[] = [];
  if (!up && state.role !== 'not started') items.push(act('Restart', () => store.restart(node), 'with what its disk has kept'));
  if (state.paused) items.push(act('Resume', () => store.resume(node), 'it goes on where it was'));
  if (up) items.push(act('Kill', () => store.crash(node), 'it loses all but its disk', true));
  if (up && !state.paused) items.push(act('Pause', () => store.pause(node), 'it does nothing; its messages wait'));
  if (up && !state.paused && !isServer(recording, node)) items.push(...asks(recording, scene, node, state));
  items.push(...memberItems(recording, scene, node));
  items.push(...linkItems(recording, scene, node));
  items.push(look('Look at its state', () => { store.selection.value = { node }; }));
  return { title: capital(nodeName(recording, node)), says: about(recording, state, memberships(recording, scene)?.[node]), items };
}

// about says in a line what a node is.
export function about(recording: Recording, state: NodeState, member?: Membership | null, node = -1): string {
  const does = doing(recording, state, node);
  const parts = [state.role === 'not started' || state.unheard || state.role === does ? '' : state.role, does];
  if (state.epoch > 0 && state.look !== 'leads') parts.push(`${epochName(recording, node)} ${state.epoch}`);
  if (member) parts.push(membershipWords(member));
  if (state.paused && state.look !== 'leads') parts.push('paused');
  if (state.saving) parts.push('waits for its disk');
  return parts.filter(Boolean).join(' · ');
}

// asks returns what a node that runs can be asked or told: to doubt its leader, to resign, that a timer ends.
function asks(recording: Recording, scene: Scene, node: number, state: NodeState): Item[] {
  const items: Item[] = [];
  const algorithm = store.gallery.peek()?.algorithms.find((a) => a.name === recording.header.algorithm);
  if (state.look === 'leads') {
    if (algorithm?.resigns) items.push(act('Resign', () => store.resign(node), 'it is asked to lead no more'));
  } else {
    const whom = state.leader >= 0 && state.leader !== node ? nodeName(recording, state.leader) : 'its leader';
    items.push(act(`Suspect ${whom}`, () => store.suspect(node), 'its patience ends now'));
  }
  const timers = state.timers ?? [];
  if (timers.length > 0) items.push({ label: 'Let a timer end now', heading: true });
  for (const due of timers) {
    const left = due.at && recording.header.timed ? `${time(Math.max(0, due.at - scene.at))} left` : '';
    items.push(act(due.timer, () => store.fire(node, due.timer), [timerWord(recording, due.timer), left].filter(Boolean).join(' · ')));
  }
  return items;
}

// memberItems returns what the leader can be asked to make of a node, where members come and go.
function memberItems(recording: Recording, scene: Scene, node: number): Item[] {
  const member = memberships(recording, scene)?.[node];
  const changes = store.gallery.peek()?.algorithms.find((a) => a.name === recording.header.algorithm)?.changes;
  if (!member || !changes) return [];
  const leader = scene.nodes.findIndex((state) => state.look === 'leads');
  const hint = leader < 0 ? 'nobody leads now' : leader === node ? 'it is asked itself' : `${nodeName(recording, leader)} is asked`;
  const kinds = (['observer', 'voter', 'witness'] as const).filter((kind) => kind !== member.kind);
  const verb = member.kind === null ? 'Add it as' : 'Make it';
  return [
    { label: 'Members', heading: true },
    ...kinds.map((kind) => act(`${verb} ${kind === 'observer' ? 'an' : 'a'} ${kind}`, () => store.change(node, kind), hint)),
    ...(member.kind === null ? [] : [act('Remove it', () => store.change(node, 'removed'), hint, true)]),
  ];
}

function linkItems(recording: Recording, scene: Scene, node: number): Item[] {
  const items: Item[] = [{ label: 'Links', heading: true }];
  if (recording.header.nodes.length > 1) items.push({ label: 'Cut or heal a link …', more: () => cutMenu(node) });
  const mine = scene.cut.filter((link) => link.includes(node));
  if (mine.length > 0) items.push(act('Heal all its links', () => store.heal(mine)));
  items.push(look(chosen.peek().has(node) ? 'Take it out of the group' : 'Take it into a group to cut off', () => choose(node)));
  return items;
}

// cutMenu returns the other nodes, to which the link of a node can be cut or healed.
export function cutMenu(node: number): Menu {
  const here = present();
  if (!here) return { title: '', says: '', items: [] };
  const { recording, scene } = here;
  const servers = recording.header.servers ?? 0;
  const items = pairs(recording.header.nodes.length, servers, scene.cut)
    .filter((p) => (p.a === node || p.b === node) && (p.usual || p.there || p.back))
    .map((p): Item => {
      const other = p.a === node ? p.b : p.a;
      return { label: `… to ${nodeName(recording, other)}`, hint: cutWord(p.there, p.back), more: () => linkMenu(node, other) };
    });
  return { title: `Links of ${nodeName(recording, node)}`, says: 'A link has two directions.', items };
}

function cutWord(there: boolean, back: boolean): string {
  if (there && back) return 'cut';
  return there || back ? 'cut one way' : 'whole';
}

// linkMenu returns what can be done to the link between two nodes.
export function linkMenu(a: number, b: number): Menu {
  const here = present();
  if (!here) return { title: '', says: '', items: [] };
  const { recording, scene } = here;
  const ways: Link[] = [[a, b], [b, a]];
  const isCut = ([from, to]: Link) => scene.cut.some((link) => link[0] === from && link[1] === to);
  const whole = ways.filter((way) => !isCut(way));
  const broken = ways.filter(isCut);
  const items: Item[] = [];
  if (whole.length === 2) items.push(act('Cut both ways', () => store.cut(whole), 'what is under way on it is lost', true));
  for (const way of whole) items.push(act(`Cut ${linkWord(recording, way)}`, () => store.cut([way]), 'this direction only', true));
  if (broken.length === 2) items.push(act('Heal both ways', () => store.heal(broken)));
  for (const way of broken) items.push(act(`Heal ${linkWord(recording, way)}`, () => store.heal([way]), 'this direction only'));
  return { title: `Link ${nodeId(recording, a)} ↔ ${nodeId(recording, b)}`, says: cutWord(isCut([a, b]), isCut([b, a])), items };
}

// delays are by how much a message can be delayed, in microseconds.
export const delays = [5_000, 20_000, 100_000];

// messageMenu returns what can be done to a message that is under way. Links keep their order, and the menu says so where that
// matters: what was sent before comes with it, what was sent after waits.
export function messageMenu(flight: Flight): Menu | null {
  const here = present();
  if (!here) return null;
  const { recording, scene } = here;
  const lane = scene.flights.filter((f) => f.from === flight.from && f.to === flight.to);
  const place = lane.findIndex((f) => f.number === flight.number);
  if (place < 0) return null;
  const behind = lane.length - 1 - place;
  const items = [
    act('Deliver now', () => store.deliver(flight.number), place > 0 ? `with ${many(place)} before it on this link` : ''),
    act('Drop', () => store.drop(flight.number), 'it is lost, and nobody is told', true),
    ...delays.map((by) => act(`Delay by ${time(by)}`, () => store.delay(flight.number, by), behind > 0 ? `${many(behind)} behind it wait${behind > 1 ? '' : 's'}, too` : '')),
    look('Look at it', () => { store.selection.value = { message: flight.number }; }),
  ];
  const due = flight.due && recording.header.timed ? `arrives in ${time(Math.max(0, flight.due - scene.at))}` : 'under way';
  return { title: messageWords(recording, flight), says: due, items };
}

function many(n: number): string { return n === 1 ? 'one' : String(n); }
