// The runs that began from one another: each "what if" is one.
import { useSignalEffect } from '@preact/signals';
import { branch, branches, recording, fresh, goTo, type Branch } from '../store';
import type { Intervention } from '../types';
import { linkWords, nodeId, type Cast } from '../words';
import { Icon } from './Icon';

// interventionWords says in a few words what somebody did: "kill 5".
export function interventionWords(cast: Cast, intervention: Intervention): string {
  const node = intervention.node === undefined ? '' : nodeId(cast, intervention.node);
  switch (intervention.do) {
    case 'crash': return `kill ${node}`;
    case 'restart': return `bring ${node} back`;
    case 'pause': return `pause ${node}`;
    case 'resume': return `let ${node} go on`;
    case 'cut': return `cut ${linkWords(cast, intervention.links ?? [])}`;
    case 'heal': return `heal ${linkWords(cast, intervention.links ?? [])}`;
    case 'deliver': return `deliver message ${intervention.message} now`;
    case 'drop': return `drop message ${intervention.message}`;
    case 'delay': return `delay message ${intervention.message}`;
    case 'fire': return `end ${intervention.timer} of ${node}`;
    case 'suspect': return `${node} suspects its leader`;
    case 'resign': return `${node} resigns`;
    case 'change': return intervention.kind === 'removed' ? `remove ${node}` : `make ${node} ${intervention.kind === 'observer' ? 'an' : 'a'} ${intervention.kind}`;
  }
}

function title(of: Branch): string {
  return of.intervention ? `from ${of.began}: ${interventionWords(of.recording, of.intervention)}` : 'the first';
}

// told is how long people are told that a branch has begun, in milliseconds.
const told = 20_000;

export function Branches() {
  useSignalEffect(() => {
    if (!fresh.value) return;
    void branch.value; // the next branch has its own time
    const timer = setTimeout(() => { fresh.value = false; }, told);
    return () => clearTimeout(timer);
  });
  const all = branches.value;
  const now = all.find((b) => b.id === branch.value);
  if (!recording.value || all.length < 2 || !now) return null;
  const before = all.find((b) => b.id === now.from);
  return (
    <nav class="branches" aria-label="Runs">
      <Icon name="branch" />
      {fresh.value && before && (
        <p class="branches-new">
          Here another run begins: what happened after step {now.began} has not happened in it.{' '}
          <button type="button" class="link" onClick={() => goTo(before.id)}>Go back to the run before</button>
        </p>
      )}
      <ul>
        {all.map((b, i) => (
          <li key={b.id}>
            <button type="button" aria-pressed={b.id === now.id} title={title(b)} onClick={() => goTo(b.id)}>{i + 1}<span class="branches-title"> {title(b)}</span></button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
