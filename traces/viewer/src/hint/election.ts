// What an election is about at one moment: what is said is so of what the nodes are then, whatever comes before and after.
import type { Scene } from '../recording';
import type { NodeState } from '../types';

// among names nodes: "4", "3 and 4", "2, 3 and 4".
export function among(names: string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const follows = (state: NodeState, whom: number): boolean => state.look === 'follows' && state.leader === whom;

// electing says how far an election has come, by who is furthest; runs are the nodes that run, and gone is the leader that they had, or -1.
export function electing(now: Scene, runs: number[], gone: number, name: (node: number) => string): string {
  const are = (which: (state: NodeState) => boolean) => runs.filter((node) => which(now.nodes[node]!));
  const say = (nodes: number[], one: string, more: string) => `${among(nodes.map(name))} ${nodes.length === 1 ? one : more}`;
  const leads = are((state) => state.look === 'leads');
  if (leads.length > 0) return say(leads, 'has won, and tells the others: who hears that follows it.', 'act as leaders.');
  const won = are((state) => state.look === 'stands' && state.role === 'leader');
  if (won.length > 0) return say(won, 'has won: it leads as soon as that is on its disk.', 'have won, and write that down.');
  const claim = are((state) => state.role === 'claimant');
  if (claim.length > 0) return say(claim, 'claims the next epoch: it leads if a majority grants that.', 'claim the next epoch: one leads if a majority grants it that.');
  const ask = are((state) => state.look === 'stands');
  if (ask.length > 0) return say(ask, 'asks the others: is anybody higher alive, and would a majority follow?', 'ask the others: who is the highest alive, and would a majority follow it?');
  const wait = are((state) => state.look === 'waits');
  if (wait.length > 0) return say(wait, 'waits for somebody better to win.', 'wait for somebody better to win.');
  if (gone < 0) return 'Each node waits for a sign of a leader. Whose patience ends first asks all others who would follow it.';
  const know = runs.filter((node) => !follows(now.nodes[node]!, gone));
  if (know.length === 0) return 'The others do not know yet: they hear no heartbeat, and lose patience. Who will lead?';
  return say(know, 'has lost patience: it follows nobody any more. Who will lead?', 'have lost patience: they follow nobody any more. Who will lead?');
}
