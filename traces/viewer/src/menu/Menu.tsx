// The bar at the top: what can be shown, and how to take it away.
import { recording } from '../store';
import { choice, theme } from '../theme';
import { Icon } from './Icon';
import { dialog, type Which } from './which';

const items: { which: Which; word: string; says: string; recording?: true }[] = [
  { which: 'setup', word: 'New run', says: 'Choose an algorithm and nodes, and let them run' },
  { which: 'tours', word: 'Tours', says: 'Short stories, step by step' },
  { which: 'gallery', word: 'Gallery', says: 'Runs that are worth seeing, and flaws' },
  { which: 'open', word: 'Open', says: 'Open a trace, a recording or a counterexample' },
  { which: 'share', word: 'Share', says: 'A link that holds all of this', recording: true },
  { which: 'export', word: 'Export', says: 'A file of this: trace, recording, test case, picture, film', recording: true },
];

export function Menu() {
  const dark = theme.value === 'dark';
  return (
    <header class="bar">
      <h1 class="brand"><a href="#" title="Begin anew" onClick={(event) => { event.preventDefault(); location.hash = '#new'; }}>Bully</a></h1>
      <nav class="bar-items" aria-label="Runs and files">
        {items.map(({ which, word, says, recording: needs }) => (
          <button type="button" key={which} title={says} disabled={needs === true && recording.value === null} onClick={() => { dialog.value = which; }}>
            {word}
          </button>
        ))}
      </nav>
      <div class="bar-end">
        <button type="button" class="quiet" aria-label={dark ? 'Light colours' : 'Dark colours'} title={dark ? 'Light colours' : 'Dark colours'}
          onClick={() => { choice.value = dark ? 'light' : 'dark'; }}>
          <Icon name={dark ? 'light' : 'dark'} />
        </button>
        <button type="button" class="quiet" aria-label="Help" title="Keys, and what the marks mean (?)" onClick={() => { dialog.value = 'help'; }}>?</button>
      </div>
    </header>
  );
}
