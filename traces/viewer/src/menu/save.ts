// Saving what is shown as files.
import { recording, problem } from '../store';
import type { Recording } from '../recording';
import { save } from './file';

// recordingText returns a recording as its file: a line for the header, and one for each frame. A pair is saved as the one recording that it is.
export function recordingText(of: Recording): string {
  const { sides: _, ...header } = of.header;
  return [header, ...of.frames].map((part) => `${JSON.stringify(part)}\n`).join('');
}

// fileName returns a name for a file about a recording: its title, of letters that every disk takes.
export function fileName(of: Recording, end: string): string {
  const name = of.header.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60);
  return `${name || 'run'}.${end}`;
}

export function saveRecording(): void {
  if (recording.value) save(fileName(recording.value, 'recording.ndjson'), recordingText(recording.value), 'application/x-ndjson');
}

// attempt does what may fail, and says so if it does.
export async function attempt(what: string, does: () => void | Promise<void>): Promise<void> {
  try {
    await does();
  } catch (error) {
    problem.value = { problem: `${what} could not be made: ${error instanceof Error ? error.message : String(error)}` };
  }
}
