// The page within another page: the picture, what plays it, a line of what came of it, and a link to the whole page. Nothing takes the focus by itself: that
// belongs to the page around.
import { Sign } from '../indicators/Sign';
import { Icon } from '../menu/Icon';
import { pair } from '../pair/pair';
import { Verdict } from '../pair/Verdict';
import { Ring } from '../ring/Ring';
import { playing, problem, recording, scene } from '../store';
import { aside, caption, next, on, startTour } from '../tours/guide';
import { toggle } from '../transport/player';
import { capital } from '../words';
import './embed.css';
import { wholePage } from './embedded';
import { verdictOf } from './verdict';

export function Embed() {
  const shown = recording.value;
  const title = on.value ? on.value.tour.title : shown ? capital(shown.header.title) : 'Bully: see an election';
  return (
    <main class="embed" data-pair={pair.value ? '' : undefined}>
      <h1 class="unseen">{title}</h1>
      {shown ? <Ring bare /> : <p class="blank">{problem.value ? '' : 'One moment: the nodes are about to start.'}</p>}
      {problem.value && <p class="embed-problem" role="alert">{problem.value.problem}</p>}
      {on.value && <p class="embed-says" role="status">{aside.value ? 'You look at something else than the tour.' : caption.value || 'Watch …'}</p>}
      <div class="embed-foot">
        <Play />
        {pair.value ? <Verdict /> : <Line />}
        <a class="embed-link" href={wholePage(location.href)} target="_blank" rel="noopener" aria-label={`The whole page: ${title}`}><span>{title}</span> ↗</a>
      </div>
    </main>
  );
}

// Play plays and stops; of a tour it goes on from stop to stop, and at the end begins again.
function Play() {
  const tour = on.value;
  const stopped = tour && !tour.going;
  const last = stopped && !aside.value && tour.stop + 1 === tour.tour.stops.length;
  const word = last ? 'Again' : stopped ? (aside.value ? 'Back to the tour' : 'Next') : playing.value ? 'Stop' : 'Play';
  const does = () => {
    if (last) void startTour(tour.tour.name);
    else if (stopped) void next();
    else toggle();
  };
  return <button type="button" class="main embed-play" disabled={recording.value === null} onClick={does}><Icon name={word === 'Stop' ? 'stop' : word === 'Play' ? 'play' : 'on'} />{word}</button>;
}

function Line() {
  const line = recording.value && scene.value && verdictOf(recording.value, scene.value);
  return <p class="embed-line" data-light={line?.light}>{line && <><Sign light={line.light} /> <span>{line.says}</span></>}</p>;
}
