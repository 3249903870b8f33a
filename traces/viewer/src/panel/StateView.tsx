// The state of a node: what it is, what it was, what has changed.
import type { Recording } from '../recording';
import { fire, mayIntervene } from '../store';
import type { NodeState } from '../types';
import { time, timerWord } from '../words';
import { Prose } from './Prose';
import { rows, timerRows, type Row, type TimerRow } from './changes';
import { Term } from '../help/Term';
import { did } from '../ring/hand';

interface Props { recording: Recording; node: number; state: NodeState; before?: NodeState | undefined; at: number; ended?: string | undefined }

export function StateView({ recording, node, state, before, at, ended }: Props) {
  const timers = timerRows(state, before, at, ended);
  return (
    <>
      <table class="panel-state">
        <tbody>
          {rows(recording, node, state, before).map((row) => (
            <tr key={row.name} class={row.was === undefined ? undefined : 'panel-changed'}>
              <th scope="row"><Term word={row.name} /></th>
              <td>
                {row.was !== undefined && <><del>{row.was || 'none'}</del><span class="panel-arrow"><span class="unseen"> is now </span><span aria-hidden="true"> → </span></span></>}
                {row.was === undefined ? <Value row={row} /> : <ins>{row.is ? <Value row={row} /> : 'none'}</ins>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {timers.length > 0 && (
        <ul class="panel-timers" aria-label="Timers">
          {timers.map((row) => <Timer key={row.timer} recording={recording} node={node} row={row} />)}
        </ul>
      )}
    </>
  );
}

// Value is what a row says. A role is a word of its own.
function Value({ row }: { row: Row }) {
  return row.name === 'role' ? <Term word={row.is} kind="role" /> : <Prose text={row.is} />;
}

function Timer({ recording, node, row }: { recording: Recording; node: number; row: TimerRow }) {
  const gone = row.change === 'stopped' || row.change === 'ended';
  const says = timerWord(recording, row.timer);
  return (
    <li class={row.change ? 'panel-changed' : undefined}>
      <span class="panel-timer-name"><Term word={row.timer} kind="timer" />{says && <small>: {says}</small>}</span>{' '}
      <span class="panel-timer-left">
        {gone ? <del>{row.change}</del> : row.left !== undefined && recording.header.timed ? `${time(row.left)} left` : 'runs'}
        {!gone && row.change && <ins> {row.change}</ins>}
      </span>
      {!gone && mayIntervene.value && (
        <button type="button" class="panel-button" aria-label={`Let ${row.timer} end now`} onClick={() => { fire(node, row.timer); did(); }}>End now</button>
      )}
    </li>
  );
}
