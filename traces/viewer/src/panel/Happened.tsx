// What has just happened: the sentence, what it changed, what was sent, and the rule that says so.
import type { Recording, Scene } from '../recording';
import { ended, length, playing, selection } from '../store';
import type { Frame, Message } from '../types';
import { capital, epochName, kindWord, indicatorWord, lightWord, moment, nodeId, nodeName, sentence, shorten } from '../words';
import { FrameMembers } from '../members/Members';
import { configurationOf, stampWords } from '../members/who';
import { endedBy } from './changes';
import { Term } from '../help/Term';
import { Worded } from '../help/Worded';
import { RuleView } from './RuleView';
import { StateView } from './StateView';
import { Sign } from '../indicators/Sign';
import { Long } from '../problem/Long';

const long = 36; // characters of a sentence, beyond which it is written smaller, so that what it has changed is to be seen below

export function Happened({ recording, scene }: { recording: Recording; scene: Scene }) {
  const frame = scene.frame;
  if (!frame) return <Before recording={recording} />;
  const state = scene.nodes[frame.node];
  return (
    <>
      <p class="panel-when">
        <span>{moment(recording, frame.at)}</span>{' '}
        <span>{kindWord(frame.kind)}</span>{' '}
        {frame.upkeep && <span><Term word="upkeep" /></span>}{' '}
        {frame.by && <span class="panel-by">{frame.by === 'you' ? 'your intervention' : 'part of the scenario'}</span>}
      </p>
      <h2 class={`panel-sentence${sentence(recording, frame).length > long ? ' panel-long' : ''}`}><Worded text={`${sentence(recording, frame)}.`} messages /></h2>
      {frame.note && <p class="panel-note"><Worded text={`${capital(shorten(recording, frame.note))}${/[.!?]$/.test(frame.note) ? '' : '.'}`} /></p>}
      <Changed frame={frame} recording={recording} />
      {frame.by === 'you' && !playing.value && !(ended.value && scene.count >= length.value) && (
        <button type="button" class="panel-button panel-go" onClick={() => { playing.value = true; }}>▶ Play, and see what follows</button>
      )}
      <FrameMembers recording={recording} scene={scene} />
      <RuleView frame={frame} />
      <Sent recording={recording} frame={frame} />
      {state && (
        <section class="panel-part" aria-label="State">
          <h3>{capital(nodeName(recording, frame.node))}{scene.before ? ': what has changed' : ', as it was before'}</h3>
          <StateView recording={recording} node={frame.node} state={state} before={scene.before} at={scene.at} ended={endedBy(frame, scene.before)} />
        </section>
      )}
    </>
  );
}

function Before({ recording }: { recording: Recording }) {
  return (
    <>
      <h2 class="panel-sentence">{capital(recording.header.title)}</h2>
      <p class="panel-note">Nothing has happened yet.</p>
    </>
  );
}

// Changed says which properties have changed in a frame.
function Changed({ frame, recording }: { frame: Frame; recording: Recording }) {
  if (!frame.indicators?.length) return null;
  return (
    <ul class="panel-indicators">
      {frame.indicators.map((indicator) => (
        <li key={indicator.name} data-light={indicator.light}>
          <Sign light={indicator.light} /> <strong>{indicatorWord(indicator.name)}: {lightWord(indicator.light)}</strong>
          {indicator.says && <div><Long text={capital(shorten(recording, indicator.says))} /></div>}
        </li>
      ))}
    </ul>
  );
}

// Sent has the messages that left the node: what is the same to several nodes is one line.
function Sent({ recording, frame }: { recording: Recording; frame: Frame }) {
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
        {[...alike].map(([key, messages]) => <SentLine key={key} recording={recording} messages={messages} />)}
      </ul>
    </section>
  );
}

const most = 12; // receivers in a line

function SentLine({ recording, messages }: { recording: Recording; messages: Message[] }) {
  const { kind, epoch, text, configuration } = messages[0]!;
  const carried = configurationOf(recording, configuration);
  return (
    <li>
      <strong><Term word={kind}>{kind}</Term></strong>{epoch ? ` of ${epochName(recording)} ${epoch}` : ''}{text && ` (${shorten(recording, text)})`}{carried && `, with ${stampWords(carried)},`} to{' '}
      {messages.slice(0, most).map((message, k) => (
        <span key={message.number}>
          {k > 0 && ', '}
          <button type="button" class="panel-link" aria-label={`${kind} to ${nodeName(recording, message.to)}${message.lost ? ', lost' : ''}`}
            onClick={() => { selection.value = { message: message.number }; }}>{nodeId(recording, message.to)}</button>
          {message.lost && <span class="panel-lost"> ✕ lost</span>}
        </span>
      ))}
      {messages.length > most && ` and ${messages.length - most} more`}
    </li>
  );
}
