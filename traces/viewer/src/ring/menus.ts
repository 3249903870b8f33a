// What can be done to a node, a message or a link, as menus.
import * as store from '../store';
import type { Film, Flight, Scene } from '../film';
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
function present(): { film: Film; scene: Scene } | null {
  const film = store.film.peek();
  const scene = store.scene.peek();
  return film && scene ? { film, scene } : null;
}

// nodeMenu returns what can be done to a node. First comes what people most want to do to it.
export function nodeMenu(node: number): Menu | null {
  const here = present();
  const state = here?.scene.nodes[node];
  if (!here || !state) return null;
  const { film, scene } = here;
  const up = state.look !== 'down';
  const items: Item[] = [];
  if (!up && state.role !== 'not started') items.push(act('Restart', () => store.restart(node), 'with what its disk has kept'));
  if (state.paused) items.push(act('Resume', () => store.resume(node), 'it goes on where it was'));
  if (up) items.push(act('Kill', () => store.crash(node), 'it loses all but its disk', true));
  if (up && !state.paused) items.push(act('Pause', () => store.pause(node), 'it does nothing; its messages wait'));
  if (up && !state.paused && !isServer(film, node)) items.push(...asks(film, scene, node, state));
  items.push(...memberItems(film, scene, node));
  items.push(...linkItems(film, scene, node));
  items.push(look('Look at its state', () => { store.selection.value = { node }; }));
  return { title: capital(nodeName(film, node)), says: about(film, state, memberships(film, scene)?.[node]), items };
}

// about says in a line what a node is.
export function about(film: Film, state: NodeState, member?: Membership | null): string {
  const does = doing(film, state);
  const parts = [state.role === 'not started' || state.role === does ? '' : state.role, does];
  if (state.epoch > 0 && state.look !== 'leads') parts.push(`${epochName(film)} ${state.epoch}`);
  if (member) parts.push(membershipWords(member));
  if (state.paused) parts.push('paused');
  if (state.saving) parts.push('waits for its disk');
  return parts.filter(Boolean).join(' · ');
}

// asks returns what a node that runs can be asked or told: to doubt its leader, to resign, that a timer ends.
function asks(film: Film, scene: Scene, node: number, state: NodeState): Item[] {
  const items: Item[] = [];
  const algorithm = store.gallery.peek()?.algorithms.find((a) => a.name === film.header.algorithm);
  if (state.look === 'leads') {
    if (algorithm?.resigns) items.push(act('Resign', () => store.resign(node), 'it is asked to lead no more'));
  } else {
    const whom = state.leader >= 0 && state.leader !== node ? nodeName(film, state.leader) : 'its leader';
    items.push(act(`Suspect ${whom}`, () => store.suspect(node), 'its patience ends now'));
  }
  const timers = state.timers ?? [];
  if (timers.length > 0) items.push({ label: 'Let a timer end now', heading: true });
  for (const due of timers) {
    const left = due.at && film.header.timed ? `${time(Math.max(0, due.at - scene.at))} left` : '';
    items.push(act(due.timer, () => store.fire(node, due.timer), [timerWord(film, due.timer), left].filter(Boolean).join(' · ')));
  }
  return items;
}

// memberItems returns what the leader can be asked to make of a node, where members come and go.
function memberItems(film: Film, scene: Scene, node: number): Item[] {
  const member = memberships(film, scene)?.[node];
  const changes = store.gallery.peek()?.algorithms.find((a) => a.name === film.header.algorithm)?.changes;
  if (!member || !changes) return [];
  const leader = scene.nodes.findIndex((state) => state.look === 'leads');
  const hint = leader < 0 ? 'nobody leads now' : leader === node ? 'it is asked itself' : `${nodeName(film, leader)} is asked`;
  const kinds = (['observer', 'voter', 'witness'] as const).filter((kind) => kind !== member.kind);
  const verb = member.kind === null ? 'Add it as' : 'Make it';
  return [
    { label: 'Members', heading: true },
    ...kinds.map((kind) => act(`${verb} ${kind === 'observer' ? 'an' : 'a'} ${kind}`, () => store.change(node, kind), hint)),
    ...(member.kind === null ? [] : [act('Remove it', () => store.change(node, 'removed'), hint, true)]),
  ];
}

function linkItems(film: Film, scene: Scene, node: number): Item[] {
  const items: Item[] = [{ label: 'Links', heading: true }];
  if (film.header.nodes.length > 1) items.push({ label: 'Cut or heal a link …', more: () => cutMenu(node) });
  const mine = scene.cut.filter((link) => link.includes(node));
  if (mine.length > 0) items.push(act('Heal all its links', () => store.heal(mine)));
  items.push(look(chosen.peek().has(node) ? 'Take it out of the group' : 'Take it into a group to cut off', () => choose(node)));
  return items;
}

// cutMenu returns the other nodes, to which the link of a node can be cut or healed.
export function cutMenu(node: number): Menu {
  const here = present();
  if (!here) return { title: '', says: '', items: [] };
  const { film, scene } = here;
  const servers = film.header.servers ?? 0;
  const items = pairs(film.header.nodes.length, servers, scene.cut)
    .filter((p) => (p.a === node || p.b === node) && (p.usual || p.there || p.back))
    .map((p): Item => {
      const other = p.a === node ? p.b : p.a;
      return { label: `… to ${nodeName(film, other)}`, hint: cutWord(p.there, p.back), more: () => linkMenu(node, other) };
    });
  return { title: `Links of ${nodeName(film, node)}`, says: 'A link has two directions.', items };
}

function cutWord(there: boolean, back: boolean): string {
  if (there && back) return 'cut';
  return there || back ? 'cut one way' : 'whole';
}

// linkMenu returns what can be done to the link between two nodes.
export function linkMenu(a: number, b: number): Menu {
  const here = present();
  if (!here) return { title: '', says: '', items: [] };
  const { film, scene } = here;
  const ways: Link[] = [[a, b], [b, a]];
  const isCut = ([from, to]: Link) => scene.cut.some((link) => link[0] === from && link[1] === to);
  const whole = ways.filter((way) => !isCut(way));
  const broken = ways.filter(isCut);
  const items: Item[] = [];
  if (whole.length === 2) items.push(act('Cut both ways', () => store.cut(whole), 'what is under way on it is lost', true));
  for (const way of whole) items.push(act(`Cut ${linkWord(film, way)}`, () => store.cut([way]), 'this direction only', true));
  if (broken.length === 2) items.push(act('Heal both ways', () => store.heal(broken)));
  for (const way of broken) items.push(act(`Heal ${linkWord(film, way)}`, () => store.heal([way]), 'this direction only'));
  return { title: `Link ${nodeId(film, a)} ↔ ${nodeId(film, b)}`, says: cutWord(isCut([a, b]), isCut([b, a])), items };
}

// delays are by how much a message can be delayed, in microseconds.
export const delays = [5_000, 20_000, 100_000];

// messageMenu returns what can be done to a message that is under way. Links keep their order, and the menu says so where that
// matters: what was sent before comes with it, what was sent after waits.
export function messageMenu(flight: Flight): Menu | null {
  const here = present();
  if (!here) return null;
  const { film, scene } = here;
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
  const due = flight.due && film.header.timed ? `arrives in ${time(Math.max(0, flight.due - scene.at))}` : 'under way';
  return { title: messageWords(film, flight), says: due, items };
}

function many(n: number): string { return n === 1 ? 'one' : String(n); }
