// Of a cluster that is watched: how it does, which nodes are reached, and the way back to now.
import { shortIds } from '../words';
import { goToNow } from './live';
import { behind, cluster, elsewhere, headline, heirsOf, kindOf, leaderOf, leads, live, mayResign, members, outlived, rankOf, waiting, type Member } from './members';
import './live.css';

export function LiveBar() {
  if (!live.value) return null;
  const shorts = shortIds(members.value.map((m) => m.id));
  const short = new Map(members.value.map((m, i) => [m.id, shorts[i]!]));
  const say = (text: string) => members.value.reduce((words, m) => words.replaceAll(m.id, short.get(m.id)!), text);
  return (
    <section class="live" aria-label="The cluster">
      <p class="live-headline" role="status" data-well={headline.value.well}>{cluster.value && `${cluster.value}: `}{say(headline.value.says)}</p>
      <ul class="live-nodes" aria-label="Its nodes">{members.value.map((m) => <One key={m.id} member={m} short={short} />)}</ul>
      <Now />
      <Connections short={short} />
    </section>
  );
}

// lookOf says how a node is drawn, and word what it is, in a word or two.
function lookOf(m: Member): string {
  if (m.reach === 'unseen') return 'unseen';
  if (m.reach !== 'heard' || m.status?.stopped) return 'away';
  if (outlived(m)) return 'busy';
  return leads(m) ? 'leads' : leaderOf(m) ? 'follows' : 'busy';
}

function word(m: Member): string {
  switch (m.reach) {
    case 'unseen': return 'not shown: no -view';
    case 'connecting': return 'connecting';
    case 'again': return 'reconnecting';
    case 'silent': return 'does not answer';
    case 'away': return 'not reached';
    default: return outlived(m) ? `led epoch ${m.now!.epoch}` : m.status?.error ? `stopped: ${m.status.error}` : m.status?.stopped ? 'stopped' : m.now?.role ?? 'starting';
  }
}

function One({ member, short: names }: { member: Member; short: Map<string, string> }) {
  const short = names.get(member.id)!;
  const leading = leads(member) && !outlived(member);
  const own = member.url !== null && member.url !== '' && member.url !== location.origin;
  return (
    <li class="live-node" data-look={lookOf(member)} title={member.id}>
      {own ? <a href={`${member.url}/`} title={`The page of node ${member.id}`}>{short}</a> : <span>{short}</span>}
      <span class="live-word">{[word(member), kindOf(member), rankOf(member)].filter(Boolean).join(', ')}</span>
      {mayResign.value && leading && (
        <button type="button" title="Lead no longer. If it is the highest, it will lead again soon." aria-label={`Make node ${short} resign`} onClick={() => resign(member)}>resign</button>
      )}
      {mayResign.value && leading && heirsOf(member).length > 0 && <HandOver leader={member} short={names} />}
    </li>
  );
}

// HandOver lets the visitor choose who is to lead next.
function HandOver({ leader, short }: { leader: Member; short: Map<string, string> }) {
  return (
    <select class="live-heir" value="" aria-label={`Hand over from node ${short.get(leader.id)}`} title="Lead no longer, and name who is to lead next. A higher node may take over soon."
      onChange={(event) => { resign(leader, event.currentTarget.value); event.currentTarget.value = ''; }}>
      <option value="" disabled>hand over to</option>
      {heirsOf(leader).map((m) => <option key={m.id} value={m.id}>{short.get(m.id)}</option>)}
    </select>
  );
}

// resign makes a node lead no longer, and name another if one is given. What comes of it is seen in its steps. The node asks of which origin the page is, which
// Firefox does not say where the page tells nobody whence it comes (as this one, by its meta element).
function resign(member: Member, to = ''): void {
  void fetch(`${member.url}/resign${to && `?to=${encodeURIComponent(to)}`}`, { method: 'POST', mode: 'no-cors', referrerPolicy: 'strict-origin' }).catch(() => undefined);
}

function Now() {
  if (elsewhere.value) return <button type="button" class="live-now main" onClick={goToNow}>Go back to the cluster</button>;
  if (behind.value > 0) return <span class="live-behind" title="What is shown happened so long ago: this page, or the network, has too much to do.">{(behind.value / 1000).toFixed(1)} s behind</span>;
  if (waiting.value === 0) return null;
  return <button type="button" class="live-now main" onClick={goToNow}>{waiting.value.toLocaleString('en')} new {waiting.value === 1 ? 'step waits' : 'steps wait'}: go to now</button>;
}

// Connections is what the nodes say of one another.
function Connections({ short }: { short: Map<string, string> }) {
  return (
    <details class="live-more">
      <summary>Connections</summary>
      <div>
        <table>
          <thead><tr>{['node', 'role', 'leader', 'epoch', 'links up', 'leader heard', 'phi'].map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
          <tbody>{members.value.map((m) => <Row key={m.id} member={m} short={short} />)}</tbody>
        </table>
      </div>
    </details>
  );
}

function Row({ member, short }: { member: Member; short: Map<string, string> }) {
  const status = member.status;
  const links = status?.links ?? [];
  const up = links.filter((l) => l.up).length;
  const heard = links.find((l) => l.node === status?.leader);
  return (
    <tr>
      <th scope="row" title={member.id}>{short.get(member.id)}</th>
      {status ? (
        <>
          <td>{status.role || 'starting'}</td>
          <td>{status.leader ? short.get(status.leader) ?? status.leader : 'none'}</td>
          <td>{status.epoch}</td>
          <td class={up < links.length ? 'live-bad' : ''}>{links.length > 0 && `${up} of ${links.length}`}</td>
          <td>{heard && heard.last_heard_ms >= 0 && `${heard.last_heard_ms} ms ago`}</td>
          <td>{heard?.phi.toFixed(1)}</td>
        </>
      ) : <td colSpan={6} class={member.reach === 'away' ? 'live-bad' : ''}>{word(member)}</td>}
    </tr>
  );
}
