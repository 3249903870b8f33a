// The dialog that begins a run.
import { useState } from 'preact/hooks';
import { hint } from '../hint/acts';
import { Dialog } from '../menu/Dialog';
import { dialog } from '../menu/which';
import { forgetLink, linkTo, openRunSpec } from '../open/opening';
import { gallery, playing, runSpec } from '../store';
import type { RunSpec } from '../types';

// first is the run that a page begins with.
export const first: RunSpec = { runSpec: 1, algorithm: 'bully', nodes: 5, profile: '', seed: 1, do: [] };

// play begins a run, and lets it go. One that somebody has chosen has an address of its own, so that Back leads to what was before.
export async function play(which: RunSpec, chosen = false): Promise<void> {
  hint.value = null;
  if (!await openRunSpec(which)) return;
  if (chosen) void linkTo({ what: 'runSpec', runSpec: which });
  else forgetLink(true);
  playing.value = true;
}

export function SetupDialog() {
  const known = gallery.value;
  const was = runSpec.value && !runSpec.value.scenario ? runSpec.value : first;
  const [algorithm, setAlgorithm] = useState(was.algorithm);
  const [nodes, setNodes] = useState(was.nodes);
  const [profile, setProfile] = useState(was.profile || (known?.profiles[0]?.name ?? ''));
  const [seed, setSeed] = useState(was.seed);
  if (!known || known.algorithms.length === 0) return <Dialog title="New run"><p>The engine is not there: this page cannot play a run.</p></Dialog>;
  const chosen = known.algorithms.find((a) => a.name === algorithm) ?? known.algorithms[0]!;
  const most = Math.min(9, chosen.maxNodes || 9);
  const begin = (event: Event) => {
    event.preventDefault();
    dialog.value = null;
    void play({ runSpec: 1, algorithm: chosen.name, nodes: Math.min(nodes, most), profile, seed, do: [] }, true);
  };
  return (
    <Dialog title="New run">
      <form onSubmit={begin}>
        <label class="field"><span>Algorithm</span>
          <select value={chosen.name} onChange={(event) => setAlgorithm(event.currentTarget.value)}>
            {known.algorithms.map((a) => <option key={a.name} value={a.name}>{a.title}</option>)}
          </select>
        </label>
        <p class="soft">{chosen.says}</p>
        <fieldset class="field"><legend>Nodes</legend>
          <div class="numbers">
            {[3, 4, 5, 6, 7, 8, 9].map((n) => (
              <label key={n}><input type="radio" name="nodes" value={n} checked={Math.min(nodes, most) === n} disabled={n > most} onChange={() => setNodes(n)} /><span>{n}</span></label>
            ))}
          </div>
        </fieldset>
        <label class="field"><span>Profile: how long things take</span>
          <select value={profile} onChange={(event) => setProfile(event.currentTarget.value)}>
            {known.profiles.map((p) => <option key={p.name} value={p.name}>{p.name}</option>)}
          </select>
        </label>
        <p class="soft">{known.profiles.find((p) => p.name === profile)?.says}</p>
        <label class="field"><span>Seed: another seed, other delays</span>
          <span class="seed">
            <input type="number" min={0} max={Number.MAX_SAFE_INTEGER} step={1} required value={seed} onInput={(event) => {
              if (event.currentTarget.validity.valid) setSeed(event.currentTarget.valueAsNumber);
            }} />
            <button type="button" onClick={() => setSeed(Math.floor(Math.random() * 100_000))}>Another</button>
          </span>
        </label>
        <div class="dialog-foot"><button type="submit" class="main">Start</button></div>
      </form>
    </Dialog>
  );
}
