// What has been chosen: a node, its state and its reigns; or a message, and what has become of it.
import type { ComponentChildren } from 'preact';
import type { Recording, Flight, Scene } from '../recording';
import { seek, mayIntervene, selection } from '../store';
import { meaning } from '../glossary';
import { NodeMembers } from '../members/Members';
import { changeWords, configurationOf, memberships, newer, stampWords, summary } from '../members/who';
import { about, messageMenu, nodeMenu, type Item } from '../ring/menus';
import { capital, epochName, fullId, groupOf, groupWord, messageWords, moment, nodeId, nodeName, time } from '../words';
import { Prose } from './Prose';
import { StateView } from './StateView';

function Head({ title, says }: { title: string; says: string }) {
  return (
    <>
      <button type="button" class="panel-button panel-back" onClick={() => { selection.value = null; }}>‹ What has just happened</button>
      <h2 class="panel-sentence">{title}</h2>
      {says && <p class="panel-note"><Prose text={says} /></p>}
    </>
  );
}

// Deeds are the lines of a menu, as buttons.
function Deeds({ items }: { items: Item[] }) {
  const deeds = items.filter((item) => 'does' in item && !item.label.startsWith('Look'));
  if (deeds.length === 0) return null;
  return (
    <div class="panel-deeds" role="group" aria-label="What can be done">
      {deeds.map((item) => 'does' in item && (
        <button key={item.label} type="button" class="panel-button" title={item.hint ?? ''} onClick={item.does}>{item.label}</button>
      ))}
    </div>
  );
}

export function NodeView({ recording, scene, node }: { recording: Recording; scene: Scene; node: number }) {
  const state = scene.nodes[node];
  if (!state) return null;
  const timers = new Set((state.timers ?? []).map((due) => due.timer)); // each has its own button already
  const items = mayIntervene.value ? (nodeMenu(node)?.items ?? []).filter((item) => !timers.has(item.label)) : [];
  const id = fullId(recording, node);
  return (
    <>
      <Head title={capital(nodeName(recording, node))} says={about(recording, state, memberships(recording, scene)?.[node])} />
      {id !== nodeId(recording, node) && <p class="panel-id"><code>{id}</code></p>}
      <Deeds items={items} />
      <section class="panel-part" aria-label="State">
        <h3>Its state</h3>
        <StateView recording={recording} node={node} state={state} at={scene.at} />
      </section>
      <NodeMembers recording={recording} scene={scene} node={node} />
      <Reigns recording={recording} scene={scene} node={node} />
    </>
  );
}

function Reigns({ recording, scene, node }: { recording: Recording; scene: Scene; node: number }) {
  const reigns = recording.reigns.filter((reign) => reign.node === node && reign.from < scene.count);
  return (
    <section class="panel-part" aria-label="Reigns">
      <h3>Its reigns</h3>
      {reigns.length === 0 && <p>It has not led so far.</p>}
      <ul class="panel-sent">
        {reigns.map((reign) => {
          const over = reign.to !== undefined && reign.to < scene.count;
          return (
            <li key={reign.from}>
              <strong>{reign.epoch > 0 ? `${epochName(recording)} ${reign.epoch}` : 'a reign'}</strong> from <Go to={reign.from + 1}>{moment(recording, reign.fromAt)}</Go>
              {over ? <> to <Go to={reign.to! + 1}>{moment(recording, reign.toAt ?? 0)}</Go>{recording.header.timed && ` (${time((reign.toAt ?? 0) - reign.fromAt)})`}</> : ' until now'}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Go({ to, children }: { to: number; children: ComponentChildren }) {
  return <button type="button" class="panel-link" onClick={() => { seek(to); selection.value = null; }}>{children}</button>;
}

export function MessageView({ recording, scene, number }: { recording: Recording; scene: Scene; number: number }) {
  const flight = recording.flights[number - 1];
  if (!flight || flight.sent >= scene.count) {
    return <Head title="This message has not been sent yet" says="" />;
  }
  const items = mayIntervene.value ? (messageMenu(flight)?.items ?? []) : [];
  return (
    <>
      <Head title={messageWords(recording, flight)} says={meaning(recording.header, flight.kind, 'message') || `It ${groupWord(groupOf(flight.kind))}.`} />
      <Deeds items={items} />
      <ul class="panel-sent">
        <li>Sent at <Go to={flight.sent + 1}>{moment(recording, flight.sentAt)}</Go>, by {nodeName(recording, flight.from)}.</li>
        <li><Fate recording={recording} scene={scene} flight={flight} /></li>
        <Carries recording={recording} scene={scene} flight={flight} />
      </ul>
      {items.length > 0 && <p class="panel-hint">A link keeps its order: what was sent before it on this link comes first, what was sent after it comes later.</p>}
    </>
  );
}

// Carries says which configuration a message carries, and what its receiver had, or has, before it takes it.
function Carries({ recording, scene, flight }: { recording: Recording; scene: Scene; flight: Flight }) {
  const carried = configurationOf(recording, flight.configuration);
  if (!carried) return null;
  const over = flight.ended !== undefined && flight.ended < scene.count;
  const has = configurationOf(recording, recording.stateOf(flight.to, over ? flight.ended! : scene.count).configuration);
  const name = nodeName(recording, flight.to);
  const had = over ? 'had' : 'has';
  if (!has) return <li>It carries {stampWords(carried)} of the members.</li>;
  if (has === carried) return <li>It carries {stampWords(carried)} of the members: what {name} {had}, too.</li>;
  if (has.members.length === 0) return <li>It carries <strong>{stampWords(carried)}</strong>, and so tells {name} who the members are: {summary(carried)}.</li>;
  const difference = carried.members.length === 0 ? '' : ` (${changeWords(recording, has, carried)})`;
  return <li>It carries <strong>{stampWords(carried)}</strong> of the members. That is {newer(carried, has) ? 'newer' : newer(has, carried) ? 'older' : 'other'} than what {name} {had}, {stampWords(has)}{difference}.</li>;
}

function Fate({ recording, scene, flight }: { recording: Recording; scene: Scene; flight: Flight }) {
  if (flight.ended !== undefined && flight.ended < scene.count) {
    return <>{flight.taken ? `Taken by ${nodeName(recording, flight.to)}` : 'Lost'} at <Go to={flight.ended + 1}>{moment(recording, flight.endedAt ?? 0)}</Go>.</>;
  }
  if (flight.due && recording.header.timed) return <>Under way: it should arrive in {time(Math.max(0, flight.due - scene.at))}.</>;
  return <>Under way.</>;
}
