// Messages under way, those that have just been taken, and those that have just been lost.
import { useRef } from 'preact/hooks';
import type { Recording, Flight } from '../recording';
import { recording as shownRecording, scene as shownScene, selection, upkeep } from '../store';
import { marked } from '../tours/guide';
import { epochColour, groupOf, letters, messageWords, type Group } from '../words';
import { byLane, share, spread, type Plan, type Point } from './geometry';
import { now } from './hand';
import { Labels, type Sent } from './Labels';
import { along, lanesOf, type Ends, type Lane } from './lanes';

export const size = 9.5; // of a mark, from its middle

// shapes has the outline of each group, round its middle.
export const shapes: Record<Group, string> = {
  ask: `M0 ${-size * 1.3} L${size * 1.3} 0 L0 ${size * 1.3} L${-size * 1.3} 0 Z`,
  answer: `M${-size} 0 A${size} ${size} 0 1 1 ${size} 0 A${size} ${size} 0 1 1 ${-size} 0 Z`,
  claim: `M${-size} ${-size} H${size} V${size} H${-size} Z`,
  announce: `M${-size * 0.62} ${-size * 1.08} H${size * 0.62} L${size * 1.24} 0 L${size * 0.62} ${size * 1.08} H${-size * 0.62} L${-size * 1.24} 0 Z`,
  upkeep: `M${-size * 1.35} ${-size * 0.85} H${size * 1.35} L0 ${size * 1.3} Z`,
};

export function Shape({ group }: { group: Group }) { return <path class="ring-shape" d={shapes[group]} />; }

interface Props { placed: Plan; onPick: (flight: Flight, at: Point, by: Element) => void; onPoint: (flight: Flight | null, at: Point) => void }

export function Messages({ placed, onPick, onPoint }: Props) {
  const recording = shownRecording.value;
  const scene = shownScene.value;
  const was = useRef(new Map<string, number>());
  if (!recording || !scene) return null;
  const laneOf = lanesOf(recording.header, placed);
  const moment = now.value;
  const shown = scene.flights.filter((f) => upkeep.value || !f.upkeep);
  const more: { ends: Ends; number: number }[] = [];
  const marks: Sent[] = [...byLane(shown).values()].flatMap((flights) => {
    const lane = laneOf(flights[0]!);
    if (!lane) return [];
    const gap = (2 * size + 5) / Math.max(1, lane.long);
    const fit = Math.max(1, Math.floor(1 / gap));
    if (flights.length > fit) more.push({ ends: along(lane, 0).ends, number: flights.length - fit });
    const seen = flights.slice(0, fit);
    const shares = spread(seen.map((f) => 0.08 + 0.92 * share(f, moment)), gap);
    return seen.map((flight, k) => ({ flight, ...along(lane, shares[k]!) }));
  });
  const over = moment.progress === 0 ? endedAt(recording, scene.count, laneOf) : [];
  return (
    <g class="ring-messages" aria-hidden="true">
      {over.map((sent) => <Ended key={sent.flight.number} {...sent} recording={recording} />)}
      {marks.map(({ flight, gone }) => <polyline key={flight.number} class="ring-trail" points={drawn(gone)} />)}
      {marks.map((sent) => <Mark key={sent.flight.number} {...sent} onPick={onPick} onPoint={onPoint} />)}
      <Labels recording={recording} scene={scene} placed={placed} marks={marks} over={over} more={more} was={was.current} />
    </g>
  );
}

function drawn(points: Point[]): string { return points.map(({ x, y }) => `${x},${y}`).join(' '); }

function Mark({ flight, at, ends, onPick, onPoint }: Sent & Pick<Props, 'onPick' | 'onPoint'>) {
  const group = groupOf(flight.kind);
  const turn = (Math.atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x) * 180) / Math.PI;
  const chosen = selection.value !== null && 'message' in selection.value && selection.value.message === flight.number;
  return (
    <g class={`ring-message${flight.upkeep ? ' ring-upkeep' : ''}${chosen ? ' ring-picked' : ''}`} data-message={flight.number} data-group={group}
      transform={`translate(${at.x} ${at.y})`} onClick={(event) => onPick(flight, at, event.currentTarget)}
      onPointerEnter={() => onPoint(flight, at)} onPointerLeave={() => onPoint(null, at)}>
      <circle class="ring-touch" r="14" />
      {marked.value.messages.has(flight.number) && <circle class="ring-marked" r="19" />}
      <path class="ring-nose" d={`M${size + 2} -4 L${size + 9} 0 L${size + 2} 4 Z`} transform={`rotate(${turn})`} />
      <g style={{ fill: flight.epoch ? epochColour(flight.epoch) : 'var(--card)' }}><Shape group={group} /></g>
      <text class="ring-letter" y={group === 'upkeep' ? 1 : 3.2}>{letters(flight.kind)}</text>
    </g>
  );
}

// endedAt returns the messages that were taken or lost in the last frame, each at where it came to.
function endedAt(recording: Recording, count: number, laneOf: (flight: Flight) => Lane | null): Sent[] {
  const here = recording.frames[count - 1] ? recording.flights.filter((f) => f.ended === count - 1 && (upkeep.value || !f.upkeep || !f.taken)) : [];
  return here.flatMap((flight) => {
    const lane = laneOf(flight);
    return lane ? [{ flight, ...along(lane, flight.taken ? 1 : flight.sent === flight.ended ? 0.3 : 0.6) }] : [];
  });
}

// Ended shows what has happened to a message in the last frame: its whole way if it was taken, a cross if it was lost.
function Ended({ recording, flight, ends, at, gone }: Sent & { recording: Recording }) {
  return (
    <g class={flight.taken ? 'ring-taken' : 'ring-lost'}>
      <title>{`${messageWords(recording, flight)}: ${flight.taken ? 'taken' : 'lost'}`}</title>
      <polyline points={drawn(gone)} />
      {marked.value.messages.has(flight.number) && <circle class="ring-marked" cx={at.x} cy={at.y} r="15" />}
      <path d={flight.taken ? 'M-9 -5 L0 0 L-9 5' : 'M-7 -7 L7 7 M7 -7 L-7 7'}
        transform={`translate(${at.x} ${at.y})${flight.taken ? ` rotate(${(Math.atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x) * 180) / Math.PI})` : ''}`} />
    </g>
  );
}
