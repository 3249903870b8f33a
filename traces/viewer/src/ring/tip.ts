// What is said of what is under the pointer.
import { embedded } from '../embed/embedded';
import { memberships } from '../members/who';
import type { Recording, Scene } from '../recording';
import { coming } from '../store';
import type { NodeState } from '../types';
import { capital, clusters, fullId, messageWords, nodeId, nodeName, shorten, time, unboundWords } from '../words';
import { about } from './menus';
import { now } from './hand';
import { leaseOf } from './writes';

// deed says what a click on a node does.
function deed(state: NodeState): string {
  if (state.role === 'not started') return 'It has not started yet.';
  if (state.look === 'down') return 'Click to restart it.';
  return state.look === 'leads' ? 'Click to kill it.' : 'Click to kill, pause, cut it …';
}

// tipFor says first what a click on a node does, if something can be done to it.
export function tipFor(recording: Recording, scene: Scene, node: number, may: boolean): string {
  const state = scene.nodes[node];
  if (!state) return '';
  const parts = [
    may ? deed(state) : embedded || recording.header.sides ? '' : 'Click for its state.', // a pair has no panel
    `${capital(nodeName(recording, node))}: ${about(recording, state, memberships(recording, scene)?.[node], node)}.`,
    leaseWords(recording, scene, node),
    state.disk ? `On disk: ${shorten(recording, state.disk)}.` : '',
    fullId(recording, node) === nodeId(recording, node) ? '' : `Its id: ${fullId(recording, node)}.`,
    may ? 'Drag it to another: that cuts the link.' : '',
  ];
  return parts.filter(Boolean).join(' ');
}

// leaseWords says of who leads how long it may act still, and from which question that is counted; or why nothing bounds it.
export function leaseWords(recording: Recording, scene: Scene, node: number): string {
  const state = scene.nodes[node]!;
  if (state.look === 'leads' && !state.lease) return unboundWords(clusters(recording.header).find((side) => side.nodes.includes(node))?.algorithm);
  const { at } = now.value;
  const lease = leaseOf(recording.frames, node, state, now.value, coming.value);
  if (!lease || !recording.header.timed || state.look !== 'leads') return '';
  const since = `${lease.question ? `question ${lease.question}, which` : 'what'} it asked ${time(Math.max(0, Math.round(at - lease.asked)))} ago`;
  if (!lease.ends) return `Its reign is counted from ${since}.`;
  return `It may act for ${time(Math.max(0, Math.round(lease.ends - at)))} still, counted from ${since}.`;
}

// tipOf says which message is under the pointer, and how long it is under way still; '' if it is so no more.
export function tipOf(recording: Recording, scene: Scene, number: number, at: number): string {
  const flight = scene.flights.find((f) => f.number === number);
  if (!flight) return '';
  const left = flight.due && recording.header.timed ? `: arrives in ${time(Math.max(0, Math.round(flight.due - at)))}` : '';
  return messageWords(recording, flight) + left;
}
