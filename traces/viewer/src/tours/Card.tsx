// The card of a tour: what is to be seen at this stop, and how to go on. What it says is read out, too.
import { useEffect, useRef } from 'preact/hooks';
import { Marked } from '../indicators/Indicators';
import { Icon } from '../menu/Icon';
import { linkTo } from '../open/opening';
import { aside, back, caption, leave, next, on, startTour } from './guide';
import { tours } from './stories';
import './tours.css';

// follower returns the tour after one, if there is one.
function follower(name: string): { name: string; title: string } | undefined {
  return tours[tours.findIndex((t) => t.name === name) + 1];
}

// takeTour begins a tour that somebody has chosen: it has an address of its own.
export async function takeTour(name: string): Promise<void> {
  if (await startTour(name)) void linkTo({ what: 'tour', name });
}

export function Card() {
  const now = on.value;
  const forward = useRef<HTMLButtonElement>(null);
  const name = now?.tour.name;
  useEffect(() => { // the keys go on with the tour
    const ticket = requestAnimationFrame(() => forward.current?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(ticket);
  }, [name]);
  if (!now) return null;
  const stops = now.tour.stops.length;
  const last = now.stop + 1 === stops;
  const after = last && !now.going && !aside.value ? follower(now.tour.name) : undefined;
  const word = aside.value ? 'Back to the tour' : after ? 'Next tour' : last && !now.going ? 'End' : 'Next';
  return (
    <section class="tour" aria-label={`Tour: ${now.tour.title}`} onKeyDown={(event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      leave();
    }}>
      <p class="tour-says" role="status">
        {aside.value ? 'You look at something else than the tour.' : caption.value || 'Watch …'}
        <Marked />
      </p>
      <div class="tour-foot">
        <span class="tour-at">Stop {now.stop + 1} of {stops}</span>
        <button type="button" class="tour-leave" onClick={leave} title="Leave the tour (Esc)">Leave</button>
        <button type="button" aria-disabled={now.stop === 0} title="The stop before (B)" onClick={() => void back()}>Back</button>
        <button type="button" class="tour-next" ref={forward} title={after ? `Next tour: ${after.title} (N, Space)` : 'On (N, Space)'} onClick={() => { void (after ? takeTour(after.name) : next()); }}><span>{word}{after && <span class="tour-after">: {after.title}</span>}</span> <Icon name="on" /></button>
      </div>
    </section>
  );
}
