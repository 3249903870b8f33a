// Reads a recording without the engine: for a page whose engine does not run. The engine says more, and of more kinds of files.
import type { Frame, Header, Opened } from '../types';

export function openPlain(text: string): Opened {
  const lines = text.split('\n');
  const failed = (line: number, problem: string, opened?: Opened): Opened => ({
    handle: 0, header: { recording: 1, title: '', source: 'trace', nodes: [], timed: false }, frames: [], ended: true, ...opened, problem: { line, problem },
  });
  const first = read(lines[0] ?? '');
  if (!isHeader(first)) return failed(1, 'Without its engine this page shows recordings only, and this is not the first line of one.');
  const opened: Opened = { handle: 0, header: first, frames: [], ended: true };
  for (let i = 1; i < lines.length; i++) {
    if (lines[i]!.trim() === '') continue;
    const frame = read(lines[i]!);
    if (!isFrame(frame, first)) return failed(i + 1, 'This is not a frame of a recording.', opened);
    opened.frames.push(frame);
  }
  return opened;
}

function read(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is Header {
  const header = value as Header | undefined;
  return typeof header === 'object' && header !== null && header.recording === 1 && Array.isArray(header.nodes) &&
    header.nodes.every((node) => typeof node === 'string');
}

function isFrame(value: unknown, header: Header): value is Frame {
  const frame = value as Frame | undefined;
  return typeof frame === 'object' && frame !== null && typeof frame.at === 'number' && typeof frame.kind === 'string' &&
    typeof frame.text === 'string' && Number.isInteger(frame.node) && frame.node >= -1 && frame.node < header.nodes.length;
}
