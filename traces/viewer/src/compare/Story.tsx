// A scenario in which an algorithm goes wrong: what there is to see, what came of it, and how to see it move.
import { Commands } from './Command';
import type { Run, Scenario } from './types';
import { number, told } from './values';

const figures: [name: string, of: (run: Run) => string][] = [
  ['more than one leader', (run) => told(run.two, 'ms')],
  ['most leaders of one epoch', (run) => (run.same_epoch > 0 ? number(run.same_epoch) : 'no epochs')],
  ['stale writes', (run) => number(run.stale)],
  ['writes refused', (run) => number(run.refused)],
  ['all follow one leader in the end', (run) => (run.agreed ? 'yes' : 'no')],
  ['nobody led', (run) => told(run.none, 'ms')],
  ['reigns', (run) => number(run.reigns)],
  ['messages of elections', (run) => number(run.messages)],
];

export function Story({ scenario: s }: { scenario: Scenario }) {
  return (
    <article id={s.name} aria-labelledby={`${s.name}-title`}>
      <h3 id={`${s.name}-title`}>{s.title}</h3>
      <dl>
        {([['What to watch', s.watch], ['Cause', s.cause], ['Remedy', s.remedy]] as const).map(([name, text]) => text && [<dt key={name}>{name}</dt>, <dd key={text}>{text}</dd>])}
      </dl>
      <div class="story">
        <div class="scroll" tabIndex={0} role="region" aria-label={`What came of it: ${s.title}`}>
          <table>
            <thead><tr><td />{s.runs.map((run, i) => <th key={i} scope="col">{run.title}</th>)}</tr></thead>
            <tbody>
              <tr><th scope="row">{s.flaw ? `goes wrong: ${s.flaw}` : 'how it should be'}</th>{s.runs.map((run, i) => (
                <td key={i} class={run.wrong ? 'wrong' : 'right'}>{s.flaw ? (run.wrong ? 'yes' : 'no') : 'nothing goes wrong'}</td>
              ))}</tr>
              {figures.map(([name, of]) => <tr key={name}><th scope="row">{name}</th>{s.runs.map((run, i) => <td key={i}>{of(run)}</td>)}</tr>)}
            </tbody>
          </table>
        </div>
        <div>
          <p class="soft">{s.runs.length > 1 ? 'See both move, on one clock, or each alone, and step through it:' : 'See it move, and step through it:'}</p>
          <Commands lines={[...s.runs.slice(1).map((run) => `workbench view -beside ${run.algorithm} ${s.name}`), ...s.runs.map((run, i) => `workbench view ${i > 0 ? `-algorithm ${run.algorithm} ` : ''}${s.name}`)]} />
          <p class="soft">All that happens, as text:</p>
          <Commands lines={[`workbench compare -scenario ${s.name}`]} />
        </div>
      </div>
    </article>
  );
}
