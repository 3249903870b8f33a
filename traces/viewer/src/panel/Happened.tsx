// What has just happened: the sentence, what it changed, what was sent, and the rule that says so.
import type { Film, Scene } from '../film';
import { ended, length, playing, selection } from '../store';
import type { Frame, Message } from '../types';
import { capital, epochName, kindWord, lampWord, lightWord, moment, nodeId, nodeName, sentence, shorten } from '../words';
import { FrameMembers } from '../members/Members';
import { configurationOf, stampWords } from '../members/who';
import { endedBy } from './changes';
import { RuleView } from './RuleView';
import { StateView } from './StateView';
import { Sign } from '../lamps/Sign';
import { Long } from '../problem/Long';

const long = 36; // characters of a sentence, beyond which it is written smaller, so that what it has changed is to be seen below

export function Happened({ film, scene }: { film: Film; scene: Scene }) {
  const frame = scene.frame;
  if (!frame) return <Before film={film} />;
  const state = scene.nodes[frame.node];
  return (
    <>
      <p class="panel-when">
        <span>{moment(film, frame.at)}</span>
        <span>{kindWord(frame.kind)}</span>
        {frame.upkeep && <span title="It is what a reign costs, and no part of an election">upkeep</span>}
        {frame.by && <span class="panel-by">{frame.by === 'you' ? 'your doing' : 'the scenario’s doing'}</span>}
      </p>
      <h2 class={`panel-sentence${sentence(film, frame).length > long ? ' panel-long' : ''}`}>{sentence(film, frame)}.</h2>
      {frame.note && <p class="panel-note">{capital(shorten(film, frame.note))}{/[.!?]$/.test(frame.note) ? '' : '.'}</p>}
      <Changed frame={frame} film={film} />
      {frame.by === 'you' && !playing.value && !(ended.value && scene.count >= length.value) && (
        <button type="button" class="panel-button panel-go" onClick={() => { playing.value = true; }}>▶ Play, and see what follows</button>
      )}
      <FrameMembers film={film} scene={scene} />
      <RuleView frame={frame} />
      <Sent film={film} frame={frame} />
      {state && (
        <section class="panel-part" aria-label="State">
          <h3>{capital(nodeName(film, frame.node))}{scene.before ? ': what has changed' : ', as it was before'}</h3>
          <StateView film={film} node={frame.node} state={state} before={scene.before} at={scene.at} ended={endedBy(frame, scene.before)} />
        </section>
      )}
    </>
  );
}

function Before({ film }: { film: Film }) {
  return (
    <>
      <h2 class="panel-sentence">{capital(film.header.title)}</h2>
      <p class="panel-note">Nothing has happened yet.</p>
    </>
  );
}

// Changed says which properties have changed in a frame.
function Changed({ frame, film }: { frame: Frame; film: Film }) {
  if (!frame.lamps?.length) return null;
  return (
    <ul class="panel-lamps">
      {frame.lamps.map((lamp) => (
        <li key={lamp.name} data-light={lamp.light}>
          <Sign light={lamp.light} /> <strong>{lampWord(lamp.name)}: {lightWord(lamp.light)}</strong>
          {lamp.says && <div><Long text={capital(shorten(film, lamp.says))} /></div>}
        </li>
      ))}
    </ul>
  );
}

// Sent has the messages that left the node: what is the same to several nodes is one line.
function Sent({ film, frame }: { film: Film; frame: Frame }) {
  const alike = new Map<string, Message[]>();
  for (const message of frame.sends ?? []) {
    const key = JSON.stringify([message.kind, message.epoch ?? 0, message.text ?? '', message.configuration ?? 0]);
    alike.set(key, [...(alike.get(key) ?? []), message]);
  }
  if (alike.size === 0) return null;
  return (
    <section class="panel-part" aria-label="Sent">
      <h3>It sends</h3>
      <ul class="panel-sent">
        {[...alike].map(([key, messages]) => <SentLine key={key} film={film} messages={messages} />)}
      </ul>
    </section>
  );
}

const most = 12; // receivers in a line

function SentLine({ film, messages }: { film: Film; messages: Message[] }) {
  const { kind, epoch, text, configuration } = messages[0]!;
  const carried = configurationOf(film, configuration);
  return (
    <li>
      <strong>{kind}</strong>{epoch ? ` of ${epochName(film)} ${epoch}` : ''}{text && ` (${shorten(film, text)})`}{carried && `, with ${stampWords(carried)},`} to{' '}
      {messages.slice(0, most).map((message, k) => (
        <span key={message.number}>
          {k > 0 && ', '}
          <button type="button" class="panel-link" aria-label={`${kind} to ${nodeName(film, message.to)}${message.lost ? ', lost' : ''}`}
            onClick={() => { selection.value = { message: message.number }; }}>{nodeId(film, message.to)}</button>
          {message.lost && <span class="panel-lost"> ✕ lost</span>}
        </span>
      ))}
      {messages.length > most && ` and ${messages.length - most} more`}
    </li>
  );
}
