// Saving what is shown as files.
import { film, problem } from '../store';
import type { Film } from '../film';
import { save } from './file';

// filmText returns a film as its file: a line for the header, and one for each frame.
export function filmText(of: Film): string {
  return [of.header, ...of.frames].map((part) => `${JSON.stringify(part)}\n`).join('');
}

// fileName returns a name for a file about a film: its title, of letters that every disk takes.
export function fileName(of: Film, end: string): string {
  const name = of.header.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60);
  return `${name || 'run'}.${end}`;
}

export function saveFilm(): void {
  if (film.value) save(fileName(film.value, 'film.ndjson'), filmText(film.value), 'application/x-ndjson');
}

// attempt does what may fail, and says so if it does.
export async function attempt(what: string, does: () => void | Promise<void>): Promise<void> {
  try {
    await does();
  } catch (error) {
    problem.value = { problem: `${what} could not be made: ${error instanceof Error ? error.message : String(error)}` };
  }
}
