// What is under way: a list that has as few elements as can be seen.
import { useSignal } from '@preact/signals';
import type { Recording, Flight, Scene } from '../recording';
import { deliver, drop, mayIntervene, selection, upkeep } from '../store';
import { did } from '../ring/hand';
import { linkWord, messageWord, messageWords, time } from '../words';

const high = 36;   // pixels of a line
const many = 200;  // lines from which on only those that are seen are there

export function Flights({ recording, scene }: { recording: Recording; scene: Scene }) {
  const top = useSignal(0);
  const flights = scene.flights.filter((flight) => upkeep.value || !flight.upkeep);
  const hidden = scene.flights.length - flights.length;
  const first = flights.length > many ? Math.max(0, Math.floor(top.value / high) - 4) : 0;
  const last = flights.length > many ? first + 20 : flights.length;
  return (
    <section class="panel-part panel-flights" aria-label="Under way">
      <h3>Under way: {flights.length === 0 ? 'nothing' : flights.length}{hidden > 0 && <small> and {hidden} of upkeep</small>}</h3>
      {flights.length > 0 && (
        <ul tabIndex={0} aria-label="Messages under way" onScroll={(event) => { top.value = event.currentTarget.scrollTop; }}>
          <li class="panel-space" aria-hidden="true" style={{ height: `${first * high}px` }} />
          {flights.slice(first, last).map((flight) => <Line key={flight.number} recording={recording} flight={flight} at={scene.at} />)}
          <li class="panel-space" aria-hidden="true" style={{ height: `${Math.max(0, flights.length - last) * high}px` }} />
        </ul>
      )}
    </section>
  );
}

function Line({ recording, flight, at }: { recording: Recording; flight: Flight; at: number }) {
  const words = messageWords(recording, flight);
  const left = flight.due && recording.header.timed ? (flight.due > at ? `in ${time(flight.due - at)}` : 'due') : '';
  return (
    <li class="panel-flight" style={{ height: `${high}px` }}>
      <button type="button" class="panel-link" title={words} onClick={() => { selection.value = { message: flight.number }; }}>{messageWord(flight)}, {linkWord(recording, [flight.from, flight.to])}</button>
      <span class="panel-due">{left}</span>
      {mayIntervene.value && (
        <>
          <button type="button" class="panel-button" aria-label={`Deliver now: ${words}`} title="Deliver now, with what is before it on its link" onClick={() => { deliver(flight.number); did(); }}>Deliver</button>
          <button type="button" class="panel-button" aria-label={`Drop: ${words}`} onClick={() => { drop(flight.number); did(); }}>Drop</button>
        </>
      )}
    </li>
  );
}
