// A node on the ring: shape, letters and words say what it is, and colour says it once more. What is pressed is a disc below all
// of these: its name is a sentence.
import type { Recording } from '../recording';
import { outline } from '../members/KindMark';
import { newer, stampWord, type Membership } from '../members/who';
import { coming, mayIntervene } from '../store';
import { marked } from '../tours/guide';
import type { MemberKind, NodeState } from '../types';
import { epochColour, epochName, epochWord, isServer, nodeId, nodeName, sideOf } from '../words';
import type { Place } from './geometry';
import { chosen, longestOf, now } from './hand';
import { rim, nextWait, Words } from './Words';
import { leaseOf, left } from './writes';
import { about } from './menus';

export interface NodeProps {
  recording: Recording; node: number; state: NodeState; place: Place;
  current: boolean;  // the last frame is about it
  aimed: boolean;    // what is being dragged would end here
  reached: boolean;  // the Tab key leads to it
  open: boolean;     // its menu is open
  member: Membership | null; // what it is among the members; null where they are fixed
}

export function NodeMark({ recording, node, state, place, current, aimed, reached, open, member }: NodeProps) {
  const { r } = place;
  const stamped = member?.own && (member.behind || r >= 25) ? member : null; // a small node has room for what differs only
  const stampAt = state.epoch > 0 ? r - 21.5 : 13; // between the id and the epoch
  const side = sideOf(recording.header, node); // which 4 it is, nobody hears from a mark alone
  const label = `${nodeName(recording, node)}${side ? ` of ${side.title}` : ''}: ${about(recording, state, member, node) || state.role}${mayIntervene.value || side ? '' : '. Look at its state'}`;
  return (
    <g class="ring-node" data-node={node} data-look={state.look} data-unheard={state.unheard || undefined} data-paused={state.paused || undefined} data-member={member ? member.kind ?? 'none' : undefined} transform={`translate(${place.x} ${place.y})`}>
      <circle class="ring-touch" r={Math.max(r + 6, 24)} role="button" tabindex={reached ? 0 : -1} aria-label={label}
        aria-haspopup={mayIntervene.value ? 'menu' : undefined} aria-expanded={mayIntervene.value ? open : undefined} />
      <g aria-hidden="true">
        {marked.value.nodes.has(node) && <circle class="ring-marked" r={r + rim(node)} />}
        {current && !marked.value.nodes.has(node) && <circle class="ring-now" r={r + 11} />}
        {(aimed || chosen.value.has(node)) && <rect class="ring-chosen" x={-r - 9} y={-r - 9} width={2 * r + 18} height={2 * r + 18} rx="10" />}
        {state.look === 'leads' && <Halo recording={recording} node={node} state={state} r={r} kind={member?.kind ?? null} />}
        <Body look={state.look} unheard={state.unheard === true} r={r} server={isServer(recording, node)} member={member} />
        <Timer state={state} r={r} wide={member?.kind === 'observer'} />
        <text class="ring-id" y={stamped ? stampAt - 9 : state.epoch > 0 ? 1 : 6} data-small={(stamped !== null && r < 25) || undefined} data-long={nodeId(recording, node).length > 3 || undefined}>
          {nodeId(recording, node)}
        </text>
        {state.epoch > 0 && <Epoch name={epochName(recording, node)} epoch={state.epoch} r={r} />}
        {stamped && <Stamp member={stamped} y={stampAt} />}
        <Badges state={state} r={r} />
        <Words recording={recording} node={node} state={state} place={place} member={member} />
      </g>
    </g>
  );
}

// Halo is the band of who leads. It is its lease, where that is known: it shrinks until a quorum answers again, and at its end the node acts no more.
function Halo({ recording, node, state, r, kind }: { recording: Recording; node: number; state: NodeState; r: number; kind: MemberKind | null }) {
  const moment = now.value;
  const share = moment.timed ? left(leaseOf(recording.frames, node, state, moment, coming.value), moment.at) : null;
  const style = { stroke: epochColour(state.epoch) };
  const round = 2 * Math.PI * (r + 4.5);
  return (
    <>
      <path class="ring-halo" data-bound={share !== null || undefined} d={outline(kind, r + 4.5)} style={style} />
      {share !== null && <circle class="ring-lease" data-left={share.toFixed(3)} r={r + 4.5} transform="rotate(-90)" style={style} stroke-dasharray={`${share * round} ${round}`} />}
      {marked.value.leases.has(node) && <circle class="ring-marked ring-marked-lease" r={r + 10.5} />}
    </>
  );
}

// Body is the outline: a house for who stands, as it points up; a square for a witness, a diamond for an observer; dashes for who
// is idle; a cross for who is down, and a question mark for who is heard no more.
function Body({ look, unheard, r, server, member }: { look: NodeState['look']; unheard: boolean; r: number; server: boolean; member: Membership | null }) {
  if (server) return <rect class="ring-body" x={-r} y={-r * 0.8} width={2 * r} height={r * 1.6} rx="6" />;
  if (look === 'stands') {
    const half = r * 0.92;
    return <path class="ring-body" d={`M0 ${-r * 1.2} L${half} ${-r * 0.42} V${r * 0.86} H${-half} V${-r * 0.42} Z`} stroke-linejoin="round" />;
  }
  const arm = r * 0.68;
  return (
    <>
      {member ? <path class="ring-body" d={outline(member.kind, r)} stroke-linejoin="round" /> : <circle class="ring-body" r={r} />}
      {unheard && <text class="ring-unheard" x={r * 0.78} y={-r * 0.62 + 7}>?</text>}
      {look === 'down' && !unheard && <path class="ring-cross" d={`M${-arm} ${-arm} L${arm} ${arm} M${arm} ${-arm} L${-arm} ${arm}`} />}
      {look === 'leads' && <path class="ring-crown" transform={`translate(0 ${-r - 1})`} d="M-15 4 L-17 -13 L-8 -5 L0 -17 L8 -5 L17 -13 L15 4 Z" />}
    </>
  );
}

function Epoch({ name, epoch, r }: { name: string; epoch: number; r: number }) {
  const text = r > 24 && epoch < 100 ? `${name === 'revision' ? 'rev.' : name} ${epochWord(epoch)}` : `${name.charAt(0)} ${epochWord(epoch)}`;
  const width = text.length * 6.1 + 10;
  return (
    <g transform={`translate(0 ${r - 5})`}>
      <rect class="ring-epoch" x={-width / 2} y={-8.5} width={width} height={17} rx={8.5} style={{ fill: epochColour(epoch) }} />
      <text class="ring-epoch-word" y={4}>{text}</text>
    </g>
  );
}

// Stamp is which configuration a node has: marked, and with its epoch, if that is not the newest.
function Stamp({ member, y }: { member: Membership; y: number }) {
  const own = member.own!;
  if (!member.behind) return <text class="ring-stamp" y={y + 4}>{stampWord(own)}</text>;
  const text = `${stampWord(own, member.newest)}${newer(member.newest, own) ? '' : ' ≠'}`;
  const width = text.length * 6 + 8;
  return (
    <g class="ring-behind" transform={`translate(0 ${y})`}>
      <rect x={-width / 2} y={-7.5} width={width} height={15} rx={4} />
      <text y={4}>{text}</text>
    </g>
  );
}

// Badges are what may come on top of what a node is: paused, saving, waiting.
function Badges({ state, r }: { state: NodeState; r: number }) {
  const out = r * 0.78;
  return (
    <>
      {state.look === 'waits' && (
        <g class="ring-badge" transform={`translate(${-out} ${-out})`}>
          <circle r="9" /><path d="M-4 -5 H4 L-4 5 H4 Z" />
        </g>
      )}
      {state.paused && (
        <g class="ring-badge ring-paused" transform={`translate(${out} ${-out})`}>
          <circle r="10" /><path d="M-3 -4.5 V4.5 M3 -4.5 V4.5" />
        </g>
      )}
      {state.saving && (
        <g class="ring-badge ring-saving" transform={`translate(${out} ${out * 0.3})`}>
          <rect x="-9" y="-9" width="18" height="18" rx="3" /><path d="M-4 -9 V-3 H4 V-9 M-5 9 V2 H5 V9" />
        </g>
      )}
    </>
  );
}

// Timer is an arc on the rim that shrinks as the wait goes on.
function Timer({ state, r, wide }: { state: NodeState; r: number; wide: boolean }) {
  const due = nextWait(state);
  if (!due || !now.value.timed) return null;
  const whole = longestOf(due.timer);
  const left = whole > 0 ? Math.max(0, Math.min(1, (due.at - now.value.at) / whole)) : 0;
  const rim = (wide ? r * 1.22 : r) + (state.look === 'stands' ? 8 : 4);
  const round = 2 * Math.PI * rim;
  return <circle class="ring-timer" r={rim} transform="rotate(-90)" stroke-dasharray={`${left * round} ${round}`} />;
}
