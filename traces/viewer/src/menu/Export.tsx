// The dialog that saves what is shown: as data, and as a picture.
import { exportFilm, most, type Options } from '../export/film';
import { exportPNG, exportSVG } from '../export/picture';
import { pair } from '../pair/pair';
import { planPair } from '../pair/plan';
import type { Recording } from '../recording';
import { count, engine, recording, problem, runSpec, theHandle, upkeep } from '../store';
import type { Exported } from '../types';
import { Dialog } from './Dialog';
import { dialog } from './which';
import { save } from './file';
import { attempt, fileName, saveRecording } from './save';

// exportOf saves what the engine makes that has opened it.
async function exportOf(what: 'trace' | 'testCase'): Promise<void> {
  exported(await engine.value?.[what](theHandle()));
}

// filmOptions say where a film begins: here; or, at the end, at the beginning.
function filmOptions(of: Recording): Options {
  const from = count.value < of.frames.length ? count.value : 0;
  const sides = pair.value?.sides;
  return { from, upkeep: upkeep.value, ...(sides && { plan: (width: number, height: number) => planPair(width, height, sides) }) };
}

function filmed(of: Recording): string {
  return (filmOptions(of).from ?? 0) > 0 ? `It begins here, and has ${most} steps at most.` : `It has ${most} steps at most.`;
}

interface Way { word: string; says: string; off?: string | false; does: (of: Recording) => void | Promise<void> }

function exported(made: Exported | undefined): void {
  if (!made || made.problem) problem.value = made?.problem ?? { problem: 'The engine is not there.' };
  else save(made.name, made.text, 'application/x-ndjson');
}

function ways(of: Recording): Way[] {
  const noEngine = !engine.value && 'This page has no engine.';
  const ours = of.header.algorithm === 'bully' || of.header.source === 'trace';
  return [
    { word: 'Trace', says: 'Every step, as section 14 of the specification writes it. The checkers of this project read it.',
      off: noEngine || (!ours && 'Traces are of our algorithm only.'), does: () => exportOf('trace') },
    { word: 'Recording', says: 'All that this page shows. Any such page opens it.', does: saveRecording },
    { word: 'Test case', says: 'The run, with all that was done to it, for a test: it plays the same again.',
      off: noEngine || (!ours && !runSpec.value && 'Only a run or a trace has one.'), does: () => exportOf('testCase') },
    { word: 'Diagram, SVG', says: 'The space-time diagram, for a document.', does: () => save(fileName(of, 'svg'), exportSVG(of), 'image/svg+xml') },
    { word: 'Diagram, PNG', says: 'The same as an image.', does: async () => save(fileName(of, 'png'), await exportPNG(of), 'image/png') },
    { word: 'Film, SVG', says: `The ring as it plays, for a page or a README: it moves wherever an image is shown. ${filmed(of)}`, does: () => save(fileName(of, 'film.svg'), exportFilm(of, filmOptions(of)), 'image/svg+xml') },
  ];
}

export function ExportDialog() {
  const of = recording.value;
  if (!of) return null;
  return (
    <Dialog title="Export">
      <ul class="choices">
        {ways(of).map(({ word, says, off, does }) => (
          <li key={word}>
            <button type="button" disabled={!!off} onClick={() => { dialog.value = null; void attempt(word, () => does(of)); }}>
              <strong>{word}</strong><span>{off || says}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="soft">A page with this in it, to send or to keep: <code>workbench view FILE -o page.html</code></p>
    </Dialog>
  );
}
