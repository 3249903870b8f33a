// Messages under way, those that have just been taken, and those that have just been lost.
import type { Recording, Flight } from '../recording';
import { recording as shownRecording, scene as shownScene, selection, upkeep } from '../store';
import { marked } from '../tours/guide';
import { epochColour, groupOf, letters, messageWord, messageWords, type Group } from '../words';
import { between, byLane, distance, lane, share, spread, type Place, type Point } from './geometry';
import { now } from './hand';

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

interface Props { places: Place[]; width: number; onPick: (flight: Flight, at: Point, by: Element) => void; onPoint: (flight: Flight | null, at: Point) => void }

export function Messages({ places, width, onPick, onPoint }: Props) {
  const recording = shownRecording.value;
  const scene = shownScene.value;
  if (!recording || !scene) return null;
  const moment = now.value;
  const shown = scene.flights.filter((f) => upkeep.value || !f.upkeep);
  const worded = shown.length <= (width < 560 ? 2 : 10);
  const more: { at: Point; number: number }[] = [];
  const marks = [...byLane(shown).values()].flatMap((flights) => {
    const ends = laneOf(places, flights[0]!);
    if (!ends) return [];
    const gap = (2 * size + 5) / Math.max(1, distance(...ends));
    const fit = Math.max(1, Math.floor(1 / gap));
    if (flights.length > fit) more.push({ at: aside(ends), number: flights.length - fit });
    const seen = flights.slice(0, fit);
    const shares = spread(seen.map((f) => 0.08 + 0.92 * share(f, moment)), gap);
    return seen.map((flight, k) => ({ flight, ends, at: between(ends, shares[k]!) }));
  });
  return (
    <g class="ring-messages" aria-hidden="true">
      {moment.progress === 0 && <Ended recording={recording} count={scene.count} places={places} />}
      {marks.map(({ flight, ends, at }) => <line key={flight.number} class="ring-trail" x1={ends[0].x} y1={ends[0].y} x2={at.x} y2={at.y} />)}
      {marks.map(({ flight, ends, at }) => (
        <Mark key={flight.number} flight={flight} at={at} ends={ends} width={width} worded={worded} onPick={onPick} onPoint={onPoint} />
      ))}
      {more.map(({ at, number }, k) => <text key={k} class="ring-word" x={at.x} y={at.y + 4}>+{number}</text>)}
    </g>
  );
}

// aside returns a point beside where a lane begins, on its outer side.
function aside(ends: [Point, Point]): Point {
  const length = distance(...ends) || 1;
  return { x: ends[0].x - ((ends[1].y - ends[0].y) / length) * 17, y: ends[0].y + ((ends[1].x - ends[0].x) / length) * 17 };
}

function laneOf(places: Place[], flight: Flight): [Point, Point] | null {
  const from = places[flight.from];
  const to = places[flight.to];
  return from && to && from !== to ? lane(from, to, 7, 15) : null;
}

interface MarkProps extends Pick<Props, 'onPick' | 'onPoint' | 'width'> { flight: Flight; at: Point; ends: [Point, Point]; worded: boolean }

function Mark({ flight, at, ends, width, worded, onPick, onPoint }: MarkProps) {
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
      {worded && <Label flight={flight} at={at} ends={ends} width={width} />}
    </g>
  );
}

// Label is the word for a message, on the outer side of its lane, as that of the other direction is on the other side. Near a
// node it lies away from it, so that neither hides the other.
function Label({ flight, at, ends, width }: { flight: Flight; at: Point; ends: [Point, Point]; width: number }) {
  const length = distance(...ends) || 1;
  const along = { x: (ends[1].x - ends[0].x) / length, y: (ends[1].y - ends[0].y) / length };
  const gone = distance(ends[0], at) / length;
  const steep = Math.abs(along.x) < 0.5;
  const middle = !steep && gone > 0.35 && gone < 0.65;
  const right = steep ? -along.y > 0 : along.x > 0 === gone < 0.5;
  const x = steep ? -along.y * 16 : middle ? 0 : right ? -size : size;
  const word = messageWord(flight);
  const anchored = middle ? 'middle' : right ? 'start' : 'end';
  return <text class="ring-word" x={x + beyond(at.x + x, word, anchored, width)} y={steep ? 4 : Math.sign(along.x) * 20 + 4} style={{ textAnchor: anchored }}>{word}</text>;
}

const letter = 7.4; // pixels of a letter, of those of which most names of messages are made: capitals

// beyond returns by how much a word must be moved so that neither edge of the picture cuts it.
function beyond(x: number, word: string, anchored: 'start' | 'middle' | 'end', width: number): number {
  const long = word.length * letter;
  const left = anchored === 'start' ? x : anchored === 'end' ? x - long : x - long / 2;
  return Math.max(0, 2 - left) - Math.max(0, left + long - (width - 2));
}

// Ended shows what has happened to messages in the last frame: the whole way of one that was taken, a cross for one that was lost.
function Ended({ recording, count, places }: { recording: Recording; count: number; places: Place[] }) {
  const frame = recording.frames[count - 1];
  if (!frame) return null;
  const here = recording.flights.filter((f) => f.ended === count - 1 && (upkeep.value || !f.upkeep || !f.taken));
  return (
    <>
      {here.map((flight) => {
        const ends = laneOf(places, flight);
        if (!ends) return null;
        const at = between(ends, flight.taken ? 1 : flight.sent === flight.ended ? 0.3 : 0.6);
        return (
          <g key={flight.number} class={flight.taken ? 'ring-taken' : 'ring-lost'}>
            <title>{`${messageWords(recording, flight)}: ${flight.taken ? 'taken' : 'lost'}`}</title>
            <line x1={ends[0].x} y1={ends[0].y} x2={at.x} y2={at.y} />
            {marked.value.messages.has(flight.number) && <circle class="ring-marked" cx={at.x} cy={at.y} r="15" />}
            <path d={flight.taken ? 'M-9 -5 L0 0 L-9 5' : 'M-7 -7 L7 7 M7 -7 L-7 7'}
              transform={`translate(${at.x} ${at.y})${flight.taken ? ` rotate(${(Math.atan2(ends[1].y - ends[0].y, ends[1].x - ends[0].x) * 180) / Math.PI})` : ''}`} />
            {here.length === 1 && !flight.taken && <text class="ring-word" x={at.x} y={at.y - 13} style={{ textAnchor: 'middle' }}>{messageWord(flight)} lost</text>}
          </g>
        );
      })}
    </>
  );
}
