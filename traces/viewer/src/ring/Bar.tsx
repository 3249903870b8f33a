// Below the ring: what can be done to several nodes or links at once, and what the shapes mean.
import type { Recording, Scene } from '../recording';
import { useMore } from '../help/more';
import { Term } from '../help/Term';
import { meaning } from '../glossary';
import { KindMark } from '../members/KindMark';
import { Line } from '../members/Members';
import { cut, heal, length, mayIntervene } from '../store';
import type { Side } from '../types';
import { clusters, epochName, groupNames, groupWord, nodeId, noResource, unboundWords } from '../words';
import { actingWords } from './acting';
import { isolating } from './geometry';
import { chosen, did, oneWay } from './hand';
import { legend } from './legend';
import { Shape } from './Messages';
import { heldWords } from './Resource';
import { writesOf } from './writes';

export function Bar({ recording, scene }: { recording: Recording; scene: Scene }) {
  const group = [...chosen.value].filter((node) => node < recording.header.nodes.length).sort((a, b) => a - b);
  const all = recording.header.nodes.length;
  const isCut = (a: number, b: number) => scene.cut.some((link) => link[0] === a && link[1] === b);
  const cutOff = () => {
    const links = isolating(group, all).filter(([a, b]) => !isCut(a, b));
    if (links.length > 0) cut(links);
    did();
  };
  return (
    <div class="ring-bar">
      <Acting recording={recording} scene={scene} />
      {clusters(recording.header).map((side, k) => <Fence key={k} recording={recording} scene={scene} side={side} />)}
      <Line recording={recording} scene={scene} />
      {mayIntervene.value && (
        <div class="ring-tools" role="group" aria-label="Links">
          {group.length > 0 && group.length < all && (
            <>
              <button type="button" class="ring-tool ring-strong" onClick={cutOff}>
                Cut {group.map((node) => nodeId(recording, node)).join(', ')} off from the rest
              </button>
              <button type="button" class="ring-tool" onClick={() => { chosen.value = new Set(); }}>No group</button>
            </>
          )}
          {scene.cut.length > 0 && <button type="button" class="ring-tool" onClick={() => { heal(scene.cut); did(); }}>Heal all links</button>}
          <button type="button" class="ring-tool" aria-pressed={oneWay.value} title="Dragging from a node to another cuts that direction only. So does Shift."
            onClick={() => { oneWay.value = !oneWay.value; }}>
            {oneWay.value ? 'Drag node to node: cut → one way' : 'Drag node to node: cut ↔ both ways'}
          </button>
        </div>
      )}
      {noResource(recording.header) && <p class="ring-says ring-none">{noResource(recording.header)} what leaders write, so the picture has no <Term word="resource" />.</p>}
      <details class="ring-key">
        <summary>What the shapes mean</summary>
        <Key recording={recording} />
      </details>
    </div>
  );
}

// Acting says who acts, where the crowns alone do not.
function Acting({ recording, scene }: { recording: Recording; scene: Scene }) {
  const words = [actingWords(recording, scene), heldWords(recording, scene)].filter(Boolean).join(' ');
  return words ? <p class="ring-says ring-acting">{words}</p> : null;
}

// Fence says what the resource is, in words: in a pair, of which of the two.
function Fence({ recording, scene, side }: { recording: Recording; scene: Scene; side: Side }) {
  const kind = side.resource;
  if (!kind) return null;
  const { highest, taken, refused, stale } = writesOf(recording, side).after(recording.frames, scene.count);
  const writes = `${taken} ${taken === 1 ? 'write' : 'writes'} taken`;
  return (
    <p class="ring-says">
      {side.title && <strong>{side.title}: </strong>}{side.title ? 'the' : 'The'} <Term word="resource" /> {kind === 'fenced' ? 'is behind a' : 'has no'} <Term word="fence" />: {writes}
      {kind === 'fenced' ? `, ${refused} refused` : ''}{stale > 0 && <>, <strong>{stale} of them <Term word="stale" /></strong></>}
      {kind === 'fenced' && highest > 0 ? `. It refuses what is below ${epochName({ header: side })} ${highest}.` : '.'}
    </p>
  );
}

// Key says what the shapes and the letters mean.
function Key({ recording }: { recording: Recording }) {
  const list = useMore<HTMLUListElement>();
  void length.value; // a run goes on, and sends what it has not sent before
  const changing = recording.configurations.length > 0;
  const bounds = clusters(recording.header).map((side) => unboundWords(side.algorithm));
  return (
    <ul ref={list} tabIndex={0} aria-label="What the shapes mean">
      {legend(recording).map(({ type, letters, group }) => (
        <li key={type} data-letters={letters}>
          <svg width="30" height="26" viewBox="-15 -13 30 26" aria-hidden="true">
            <g class="ring-message" style={{ fill: 'var(--card)' }}><Shape group={group} /><text class="ring-letter" y={group === 'upkeep' ? 1 : 3.2}>{letters}</text></g>
          </svg>
          <span><dfn>{type}</dfn>: {lower(meaning(recording.header, type, 'message'))}</span>
        </li>
      ))}
      {groupNames.map((group) => (
        <li key={group}>
          <svg width="30" height="26" viewBox="-15 -13 30 26" aria-hidden="true"><g class="ring-message" style={{ fill: 'var(--card)' }}><Shape group={group} /></g></svg>
          a message that {groupWord(group)}
        </li>
      ))}
      {clusters(recording.header).some((side) => side.resource) && (
        <>
          <li><Sample d="M-7 -9 H3 L7 -5 V9 H-7 Z" kind="ring-body" look="leads" />a write to the resource, in the colour of its epoch</li>
          {clusters(recording.header).some((side) => side.resource === 'fenced') && <li><Sample d="M-12 -8 H12 V8 H-12 Z" kind="ring-fence" look="leads" />a fence: the resource refuses writes of epochs that are past</li>}
        </>
      )}
      {bounds.includes('') && <li><Sample d="M0 -9 A9 9 0 1 1 -9 0" kind="ring-lease" look="leads" />round who leads: how long it may act still, counted from when it asked what was answered last</li>}
      {[...new Set(bounds)].filter((why) => why !== '').map((why) => <li key={why}><Sample d="M0 -9 A9 9 0 1 1 -0.01 -9" kind="ring-lease" look="leads" />round who leads, a band that does not shrink: {lower(why)}</li>)}
      <li><Sample d="M-10 4 L-11 -8 L-5 -3 L0 -10 L5 -3 L11 -8 L10 4 Z" kind="ring-hollow" look="idle" />one that takes itself for the leader, and is paused: it does not act</li>
      <li><Sample d="M-10 4 L-11 -8 L-5 -3 L0 -10 L5 -3 L11 -8 L10 4 Z" kind="ring-crown" look="leads" />a node that leads; a band leads to it from those that follow</li>
      <li><Sample d="M0 -11 L9 -4 V9 H-9 V-4 Z" kind="ring-body" look="stands" />one that stands for election: it wants to lead</li>
      <li><Sample d="M-5 -6 H5 L-5 6 H5 Z" kind="ring-body" look="waits" />one that waits for an election to end</li>
      <li><Sample d="M-8 -8 L8 8 M8 -8 L-8 8" kind="ring-cross" look="down" />one that is down</li>
      <li><Sample d="M-3 -5 A4 4 0 1 1 1 0 L0 3 M0 8 V9" kind="ring-cross" look="down" />one that is heard no more: nobody can tell whether it is down</li>
      <li><Sample d="M0 -9 A9 9 0 1 1 -9 0" kind="ring-timer" look="follows" />how long it waits still</li>
      <li><Sample d="M-13 0 H-4 M4 0 H13 M-7 8 L-1 -8 M1 8 L7 -8" kind="ring-gap" look="down" />a link that is cut</li>
      {changing && (
        <>
          <li><span class="ring-key-kind"><KindMark kind="voter" size={22} /></span>a voter: it votes, and may lead</li>
          <li><span class="ring-key-kind"><KindMark kind="witness" size={22} /></span>a witness: it votes, and never leads</li>
          <li><span class="ring-key-kind"><KindMark kind="observer" size={22} /></span>an observer: it only follows</li>
          <li><span class="ring-key-kind"><KindMark kind={null} size={22} /></span>no member: its marks are grey</li>
          <li><span class="ring-key-kind ring-key-stamp">v2</span>the version of the members that it knows</li>
          <li><span class="ring-key-kind ring-key-stamp" data-behind="true">v1 e0</span>an older one than the newest, and its epoch if that is another</li>
        </>
      )}
    </ul>
  );
}

function lower(text: string): string { return `${/^(I|ACK|Raft)\b/.test(text) ? text.charAt(0) : text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`; }

function Sample({ d, kind, look }: { d: string; kind: string; look: string }) {
  return (
    <svg width="30" height="26" viewBox="-15 -13 30 26" aria-hidden="true"><g class="ring-node" data-look={look}><path class={kind} d={d} /></g></svg>
  );
}
