// The verdict on a pair: a line for each of the two, in numbers counted from the run, as far as it has gone.
import { finished, pair, tallies } from './pair';
import { verdict } from './tally';
import './pair.css';

export function Verdict() {
  const now = pair.value;
  const both = tallies.value;
  if (!now || !both) return null;
  return (
    <section class="verdict" data-story={now.story} data-counted={JSON.stringify(both)} aria-label={finished.value ? 'The verdict' : 'Up to now'} aria-live={finished.value ? 'polite' : 'off'}>
      {now.sides.map((side, k) => (
        <p key={k} class="verdict-side"><strong>{side.title}:</strong> {verdict(both[k]!, now.flaw)}</p>
      ))}
    </section>
  );
}
