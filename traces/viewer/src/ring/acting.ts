// Who acts as leader, where that is not plain: a leader that is paused takes itself for one, and does nothing.
import type { Recording, Scene } from '../recording';
import { among } from '../hint/election';
import { capital, clusters, nodeId } from '../words';

// woken reports whether a node has just gone on, and the time that it had as a leader has run out meanwhile: that comes before all else (R37).
function woken(scene: Scene, node: number): boolean {
  const { frame } = scene;
  return frame?.kind === 'resume' && frame.node === node && (scene.nodes[node]!.timers ?? []).some((due) => due.at !== undefined && due.at <= scene.at);
}

// acts reports whether a node does what only the leader may do.
export function acts(scene: Scene, node: number): boolean {
  return scene.nodes[node]!.look === 'leads' && !scene.nodes[node]!.paused && !woken(scene, node);
}

// awakes reports whether a node has gone on in this moment: no time has passed in which it would have acted.
function awakes(recording: Recording, scene: Scene, node: number): boolean {
  for (let k = scene.count - 1; k >= 0 && recording.frames[k]!.at === scene.at; k--) {
    if (recording.frames[k]!.kind === 'resume' && recording.frames[k]!.node === node) return true;
  }
  return false;
}

// actingWords says who acts, if more than one of a cluster has a crown, or one of them is paused; '' where there is nothing to explain.
export function actingWords(recording: Recording, scene: Scene): string {
  return clusters(recording.header).map(({ nodes }) => inCluster(recording, scene, nodes)).filter(Boolean).join(' ');
}

function inCluster(recording: Recording, scene: Scene, cluster: number[]): string {
  const crowns = cluster.filter((node) => scene.nodes[node]!.look === 'leads');
  const idle = crowns.filter((node) => !acts(scene, node) || (crowns.length > 1 && awakes(recording, scene, node)));
  if (crowns.length === 0 || (crowns.length < 2 && idle.length === 0)) return '';
  const act = crowns.filter((node) => !idle.includes(node)).map((node) => nodeId(recording, node));
  const why = idle.map((node) => `${nodeId(recording, node)} ${whyNot(scene, node)}.`);
  const who = act.length === 0 ? 'So nobody acts.' : act.length === 1 ? `So one acts: ${act[0]}.` : `${capital(count(act.length))} act at once: ${among(act)}.`;
  return [...why, who].join(' ');
}

function whyNot(scene: Scene, node: number): string {
  if (scene.nodes[node]!.paused) return 'is paused: it takes itself for the leader, and does nothing';
  if (woken(scene, node)) return 'has just gone on, and its time has run out: before it does anything else, it leads no more';
  return 'has gone on in this moment, and still takes itself for the leader';
}

function count(n: number): string { return ['', 'one', 'two', 'three', 'four'][n] ?? String(n); }
