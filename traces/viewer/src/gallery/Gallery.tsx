// The dialog with runs that are worth seeing: each with a sentence on what to watch.
import { useState } from 'preact/hooks';
import { Dialog } from '../menu/Dialog';
import { dialog } from '../menu/which';
import { forgetLink, linkTo, openGolden, openRunSpec, openStory } from '../open/opening';
import { Prose } from '../panel/Prose';
import { gallery, playing } from '../store';
import type { Scenario } from '../types';
import './gallery.css';
import { entries, found, groups, type Choice, type Entry } from './entries';
import { Sketch } from './Sketch';

// scenarioRecipe returns the run spec of a scenario, played by an algorithm. The scenario says the rest.
export function scenarioRunSpec(of: Scenario, algorithm: string) {
  return { runSpec: 1 as const, algorithm, nodes: of.nodes, profile: '', seed: 0, scenario: of.name, do: [] };
}

// play shows a run where there is something to see, and lets it go on from there.
async function play(entry: Entry, algorithm?: string): Promise<void> {
  dialog.value = null;
  if (entry.golden) {
    if (!await openGolden(entry.golden.name)) return;
    void linkTo({ what: 'golden', name: entry.golden.name });
    playing.value = true;
  } else if (entry.scenario) {
    const runSpec = scenarioRunSpec(entry.scenario, algorithm ?? entry.scenario.algorithm);
    if (!await openRunSpec(runSpec)) return forgetLink();
    void linkTo({ what: 'runSpec', runSpec });
    playing.value = true;
  }
}

// beside opens a scenario with ours beside it.
async function beside(of: Scenario): Promise<void> {
  dialog.value = null;
  const linked = { what: 'story' as const, name: of.name, beside: 'bully' };
  if (!await openStory(linked)) return;
  void linkTo(linked);
  playing.value = true;
}

function Card({ entry }: { entry: Entry }) {
  const titleOf = (name: string) => gallery.value?.algorithms.find((a) => a.name === name)?.title ?? name;
  const others = (entry.scenario?.algorithms ?? []).filter((a) => a !== entry.scenario?.algorithm);
  const ours = others.includes('bully');
  return (
    <li class="gal-card">
      <Sketch entry={entry} />
      <h3><button type="button" class="link" onClick={() => play(entry)}>{entry.title}</button></h3>
      <p class="gal-kind">{entry.by ? titleOf(entry.by) : entry.rule ? <>Breaks <Prose text={entry.rule} /></> : 'By the rules'} · {entry.nodes} nodes{entry.golden && ` · ${entry.golden.events} events`}</p>
      <p><Prose text={entry.says} /></p>
      {entry.more.length > 0 && <details>
        <summary>{entry.scenario ? 'Why it happens, and what helps' : 'More'}</summary>
        {entry.more.map((text) => <p key={text}><Prose text={text} /></p>)}
      </details>}
      <div class="gal-foot">
        <button type="button" class="main" onClick={() => play(entry)}>Play<span class="unseen"> {entry.title}</span></button>
        {entry.scenario && entry.by !== 'bully' && <button type="button" onClick={() => beside(entry.scenario!)}>Beside ours</button>}
        {ours && <button type="button" onClick={() => play(entry, 'bully')}>Play it with ours instead</button>}
        {others.length > (ours ? 1 : 0) && (
          <select aria-label={`Play ${entry.title} with another algorithm`} value="" onChange={(event) => play(entry, event.currentTarget.value)}>
            <option value="" disabled>with another</option>
            {others.map((a) => <option key={a} value={a}>{titleOf(a)}</option>)}
          </select>
        )}
      </div>
    </li>
  );
}

export function GalleryDialog() {
  const [group, setGroup] = useState<Choice>('first');
  const [search, setSearch] = useState('');
  const known = gallery.value;
  if (!known) return <Dialog title="Gallery"><p>The engine is not there: this page has no gallery.</p></Dialog>;
  const all = entries(known);
  const shown = found(all, group, search);
  return (
    <Dialog title="Gallery" wide>
      <p>For one thing after the other, with a sentence at each: <button type="button" class="link" onClick={() => { dialog.value = 'tours'; }}>Tours</button>.</p>
      <div class="gal-find">
        <input type="search" aria-label="Search the gallery" placeholder="Search: crash, network partition, fencing" value={search} onInput={(event) => {
          setSearch(event.currentTarget.value);
          if (group === 'first') setGroup('all'); // who searches wants to find
        }} />
        <div class="numbers" role="group" aria-label="Which">
          {(['first', ...groups.map((g) => g.name), 'all'] as const).map((name) => (
            <label key={name}><input type="radio" name="group" checked={group === name} onChange={() => setGroup(name)} /><span>{groups.find((g) => g.name === name)?.title ?? (name === 'first' ? 'Begin here' : 'All')}</span></label>
          ))}
        </div>
      </div>
      <p class="soft" role="status">{shown.length} of {all.length}. {groups.find((g) => g.name === group)?.says}</p>
      <p class="soft">A picture has a line of each node, drawn from the run: a bar in the colour of its epoch while it leads, none while it is down.</p>
      <ul class="gal-list">{shown.map((entry) => <Card key={entry.key} entry={entry} />)}</ul>
    </Dialog>
  );
}
