// The dialog that says which keys do what. What the marks mean stands where they are.
import { Dialog } from '../menu/Dialog';
import { recording, gallery } from '../store';

const keys: [string, string][] = [
  ['Space', 'play, stop'], ['→ ←', 'a step on, a step back'], ['Shift → ←', 'ten of them'], ['N P', 'to where the next phase of the election begins; the one before'], ['Home End', 'to the beginning, to the last step'],
  ['+ −', 'faster, slower'], ['K', 'kill the leader'], ['N B', 'in a tour: on, back'], ['Tab Enter', 'to a node, a message, a link; what can be done with it'], ['Esc', 'close what is open'], ['?', 'this'],
];

const commit = (): string => document.querySelector<HTMLMetaElement>('meta[name=commit]')?.content ?? 'unknown';

export function HelpDialog() {
  const name = recording.value?.header.algorithm;
  const other = name === 'bully' ? undefined : gallery.value?.algorithms.find((a) => a.name === name);
  return (
    <Dialog title="Help">
      <p>
        Nodes elect one of them as leader. Each run here is the real algorithm, in a network and with clocks that are simulated: the same seed and
        the same interventions make the same run. <strong>Click a node, a message or a link</strong> to see what can be done with it; drag from one node to
        another to cut what is between them.
      </p>
      <p>
        You may step back at any time. If you do something else there, another run begins, and the one before is kept.
      </p>
      <table class="keys">
        <tbody>{keys.map(([key, does]) => <tr key={key}><th scope="row">{key.split(' ').map((k) => <kbd key={k}>{k}</kbd>)}</th><td>{does}</td></tr>)}</tbody>
      </table>
      <h3>What our algorithm does, in short</h3>
      <p>
        Who hears nothing of a leader for a while asks all others who would follow it. A node with a higher id says OK, and it waits for that one.
        If more than half of all say that they would, itself among them, it claims the next <em>epoch</em>. More than half must grant that, and each
        node grants an epoch once: so no two nodes lead the same epoch. The leader sends heartbeats, and steps down when more than half do not answer.
      </p>
      {other && <p><strong>What is shown is another: {other.title}.</strong> {other.says}</p>}
      {!other && <p>Other algorithms, which New run and the gallery have, differ: New run says of each what it does.</p>}
      <p>A band of one colour in the diagram is one reign: the time that one node leads one epoch. The properties below the nodes are what must hold. A red one is broken: press it, and see the step that broke it.</p>
      <p class="built">This page and its engine were built from commit {commit()}.</p>
    </Dialog>
  );
}
