// The words on the ring for what moves there: messages, and what has become of them.
import { memberships } from '../members/who';
import { between as parting, part } from '../pair/plan';
import type { Flight, Recording, Scene } from '../recording';
import { pair } from '../pair/pair';
import { marked } from '../tours/guide';
import { clusters, messageWord } from '../words';
import { distance, type Plan } from './geometry';
import type { Ends, Spot as LaneSpot } from './lanes';
import { round, settle, type Spot, type Taken, type Wanted } from './spots';
import { sheetsOf } from './Resource';
import { fence, half, resourceAt } from './writes';
import { takenBy } from './Words';

// Sent is a message, and where it is on its lane.
export interface Sent extends LaneSpot { flight: Flight }

interface Props { recording: Recording; scene: Scene; placed: Plan; marks: Sent[]; over: Sent[]; more: { ends: Ends; number: number }[]; was: Map<string, number> }

const most = 10; // messages under way that have words: of more than that letters say what they are

export function Labels(props: Props) {
  const { placed: { width, height }, was } = props;
  const labels = settle(wantedOf(props), takenOf(props), { left: 0, top: 0, right: width, bottom: height }, was);
  return <>{labels.map(({ key, kind, text, x, y, anchor }) => <text key={key} class={`ring-word${kind}`} x={x} y={y} style={{ textAnchor: anchor }}>{text}</text>)}</>;
}

// wantedOf returns the words that are to be there; first what a tour speaks of, and what has just happened.
function wantedOf({ marks, over, more }: Props): Wanted[] {
  const lost = over.filter(({ flight }) => !flight.taken);
  const isMarked = ({ flight }: Sent): boolean => marked.value.messages.has(flight.number);
  const worded = marks.length <= most ? [...marks] : marks.filter(isMarked);
  return [
    ...(over.length === 1 ? lost : []).map(({ flight, at }) => ({ key: `lost ${flight.number}`, kind: ' ring-lost-word', texts: [`${messageWord(flight)} lost`], spots: round(at, 13) })),
    ...worded.sort((a, b) => Number(isMarked(b)) - Number(isMarked(a))).map((sent) => ({ key: String(sent.flight.number), kind: '', texts: [messageWord(sent.flight)], spots: spotsOf(sent, isMarked(sent)) })),
    ...more.map(({ ends, number }, k) => ({ key: `more ${k}`, kind: '', texts: [`+${number}`], spots: [aside(ends, 1), aside(ends, -1)] })),
  ];
}

// spotsOf returns the spots of the word for a message: first on the outer side of its lane, as the other direction is on the other side; near a node away from it.
function spotsOf({ ends, at }: Sent, isMarked: boolean): Spot[] {
  const length = distance(...ends) || 1;
  const along = { x: (ends[1].x - ends[0].x) / length, y: (ends[1].y - ends[0].y) / length };
  const gone = distance(ends[0], at) / length;
  const far = isMarked ? 24 : 14;
  const all = round(at, far);
  const across: Spot = { x: at.x, y: along.x > 0 ? at.y + far + 9 : at.y - far - 3, anchor: gone > 0.35 && gone < 0.65 ? 'middle' : along.x > 0 === gone < 0.5 ? 'start' : 'end' };
  const outer = Math.abs(along.x) >= 0.5 ? across : all[along.y < 0 ? 0 : 1]!;
  return [outer, ...all];
}

// aside returns a spot beside where a lane begins, on its outer side or on the other.
function aside(ends: Ends, way: 1 | -1): Spot {
  const length = distance(...ends) || 1;
  return { x: ends[0].x - ((ends[1].y - ends[0].y) / length) * 17 * way, y: ends[0].y + ((ends[1].x - ends[0].x) / length) * 17 * way + 4, anchor: 'middle' };
}

// takenOf returns what no word may lie on: nodes and what is beside them, messages, the resource, and the line between the two of a pair.
function takenOf({ recording, scene, placed, marks, over }: Props): Taken {
  const members = memberships(recording, scene);
  const nodes = scene.nodes.flatMap((state, node) => (placed.places[node] ? [takenBy(recording, node, state, placed.places[node], members?.[node] ?? null)] : []));
  const resources = clusters(recording.header).flatMap((side, k) => {
    if (!side.resource) return [];
    const at = resourceAt(part(placed, recording.header, k), side.servers.length);
    const { x, y } = at;
    const sheets = sheetsOf(recording, scene, side, placed, at).map((sheet) => ({ left: sheet.at.x - 9, right: sheet.at.x + 9, top: sheet.at.y - 11, bottom: sheet.at.y + 11 }));
    const by = marked.value.resource ? 12 : side.resource === 'fenced' ? fence + 3 : 1;
    return [{ left: x - half.x - by, right: x + half.x + by, top: y - half.y - by, bottom: y + half.y + by }, ...sheets];
  });
  const line = pair.value ? [parting(placed.width, placed.height)].map(({ x1, x2, y1, y2 }) => ({ left: x1, right: x2, top: y1, bottom: y2 })) : [];
  const messages = [...marks, ...over].map(({ flight, at }) => ({ ...at, r: marked.value.messages.has(flight.number) ? 21 : 11 }));
  return { discs: [...nodes.flatMap(({ discs }) => discs), ...messages], boxes: [...nodes.flatMap(({ boxes }) => boxes), ...resources, ...line] };
}
