// A configuration as a table: who the members are, what each is, and where; and what is not as in another configuration.
import type { Recording, Scene } from '../recording';
import type { Configuration, MemberKind, NodeState } from '../types';
import { capital, fullId, nodeId, nodeName } from '../words';
import { changes, changeWords, configurationOf, memberships, newer, newest, settled, stampWords, summary } from './who';
import { KindMark } from './KindMark';
import './members.css';

// Table has the members of a configuration. What is other than before is marked, in words, and who was a member is told.
export function Table({ recording, of, before }: { recording: Recording; of: Configuration; before?: Configuration | null | undefined }) {
  const differs = new Map(before ? changes(before, of).map((change) => [change.node, change]) : []);
  const gone = [...differs.values()].filter((change) => change.is === null);
  const ranked = [...of.members, ...(before?.members ?? [])].some((m) => m.rank);
  const addressed = [...of.members, ...(before?.members ?? [])].some((m) => m.address);
  if (of.members.length + gone.length === 0) return <p class="mem-none">It knows of no members yet. A leader that has added it will tell it.</p>;
  const was = (node: number): string => {
    const change = differs.get(node);
    if (!change) return '';
    if (change.was === null) return 'new';
    if (change.was !== change.is) return `was ${change.was}`;
    return change.address === undefined ? 'another rank' : 'another address';
  };
  return (
    <table class="mem-table">
      <thead><tr><th scope="col">id</th><th scope="col">kind</th>{ranked && <th scope="col">rank</th>}{addressed && <th scope="col">address</th>}{differs.size > 0 && <th scope="col"><span class="unseen">change</span></th>}</tr></thead>
      <tbody>
        {of.members.map((m) => (
          <tr key={m.node} class={differs.has(m.node) ? 'panel-changed' : undefined}>
            <th scope="row" title={fullId(recording, m.node)}>{nodeId(recording, m.node)}</th>
            <td><KindMark kind={m.kind} /> {m.kind}</td>
            {ranked && <td>{m.rank ?? 0}</td>}
            {addressed && <td class="mem-address">{m.address ? <code>{m.address}</code> : '–'}</td>}
            {differs.size > 0 && <td><ins>{was(m.node)}</ins></td>}
          </tr>
        ))}
        {gone.map(({ node, was: kind }) => (
          <tr key={node} class="panel-changed">
            <th scope="row"><del>{nodeId(recording, node)}</del></th>
            <td><KindMark kind={kind as MemberKind} /> <del>{kind}</del></td>
            {ranked && <td />}
            {addressed && <td />}
            <td><ins>removed</ins></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// NodeMembers is whom a node takes for members, and how far that is behind.
export function NodeMembers({ recording, scene, node }: { recording: Recording; scene: Scene; node: number }) {
  const state = scene.nodes[node];
  const own = configurationOf(recording, state?.configuration);
  const now = configurationOf(recording, newest(recording, scene.nodes));
  if (!state || !own || !now) return null;
  return (
    <section class="panel-part" aria-label="Members">
      <h3>The members, as it knows them{own.members.length > 0 && <>: {stampWords(own)}</>}</h3>
      <Standing state={state} />
      <Table recording={recording} of={own} />
      {own !== now && <p class="mem-behind">{behind(recording, own, now)}</p>}
    </section>
  );
}

// Standing says of a leader whether what it has made holds for good.
function Standing({ state }: { state: NodeState }) {
  if (state.look !== 'leads') return null;
  return <p class="mem-settled" data-settled={state.settled === true}>{state.settled ? '✓ Settled: a quorum has acknowledged it, and it holds for good.' : '… Not settled yet: a quorum must acknowledge it.'}</p>;
}

// behind says how the configuration of a node differs from the newest.
export function behind(recording: Recording, own: Configuration, now: Configuration): string {
  if (!newer(now, own)) return `Another node has another ${stampWords(now)}: ${changeWords(recording, own, now)}.`;
  return `The newest is ${stampWords(now)}: ${changeWords(recording, own, now)}. This node has not heard of it${own.members.length === 0 ? '' : ' yet'}.`;
}

// FrameMembers is the configuration that a node has made or adopted in the last frame.
export function FrameMembers({ recording, scene }: { recording: Recording; scene: Scene }) {
  const frame = scene.frame;
  const is = configurationOf(recording, frame?.state?.configuration);
  const was = configurationOf(recording, scene.before?.configuration);
  if (!frame || !is || is === was || is.members.length === 0) return null;
  return (
    <section class="panel-part" aria-label="Members">
      <h3>{capital(nodeName(recording, frame.node))}: who the members are now</h3>
      <p>{capital(stampWords(is))}{was && `: ${was.members.length === 0 ? summary(is) : changeWords(recording, was, is)}`}.</p>
      <Table recording={recording} of={is} before={was && was.members.length > 0 ? was : undefined} />
    </section>
  );
}

// Line says below the ring who the members are.
export function Line({ recording, scene }: { recording: Recording; scene: Scene }) {
  const now = memberships(recording, scene)?.[0]?.newest;
  if (!now || now.members.length === 0) return null;
  const holds = settled(recording, scene.nodes);
  return (
    <p class="mem-line">
      <strong>{capital(stampWords(now))}</strong>: {summary(now)}{holds !== null && <> · <span data-settled={holds}>{holds ? '✓ settled' : '… not settled'}</span></>}
    </p>
  );
}
