// What could not be done: where, why. The page goes on as it was.
import { problem } from '../store';
import { excerpt } from '../open/opening';
import { capital } from '../words';
import { Icon } from '../menu/Icon';

export function ProblemBanner() {
  const now = problem.value;
  if (!now) return null;
  const line = now.line === undefined ? undefined : excerpt(now.line);
  const [first = '', ...rest] = (now.line === undefined ? capital(now.problem) : now.problem).split('\n');
  const head = <><strong>{now.line === undefined ? 'That did not work.' : `Line ${now.line}:`}</strong> {first}</>;
  return (
    <div class="problem" role="alert">
      <div class="problem-words">
        {rest.length === 0 ? <p>{head}</p> : <details class="problem-more"><summary>{head}</summary><pre tabIndex={0}>{rest.join('\n')}</pre></details>}
        {line !== undefined && <pre class="problem-line"><span aria-hidden="true">{now.line} </span>{line}</pre>}
      </div>
      <button type="button" class="quiet" aria-label="Close this notice" onClick={() => { problem.value = null; }}><Icon name="close" /></button>
    </div>
  );
}
