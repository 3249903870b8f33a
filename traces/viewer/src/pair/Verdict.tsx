// The verdict on a pair: a line for each of the two, in numbers counted from the run, as far as it has gone. A voice hears it once, at the end: numbers
// that change at every step would be talked over.
import { finished, pair, tallies } from './pair';
import { verdict } from './tally';
import './pair.css';

export function Verdict() {
  const now = pair.value;
  const both = tallies.value;
  if (!now || !both) return null;
  const lines = now.sides.map((side, k) => ({ title: side.title, says: verdict(both[k]!, now.flaw, finished.value) }));
  return (
    <section class="verdict" data-story={now.story} data-counted={JSON.stringify(both)} aria-label={finished.value ? 'The verdict' : 'Up to now'}>
      {lines.map(({ title, says }, k) => <p key={k} class="verdict-side"><strong>{title}:</strong> {says}</p>)}
      <p class="unseen" role="status">{finished.value ? lines.map(({ title, says }) => `${title}: ${says}.`).join(' ') : ''}</p>
    </section>
  );
}
