// Text within a plot, whose room is reckoned before it is drawn.
import { widthOf } from '../export/svg';

export const sizes = { title: 15, note: 12.5, small: 12, label: 13 };

// wrapped breaks a text into lines that have room.
export function wrapped(text: string, room: number, size: number, bold = false): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, size, bold) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export interface Line { text: string; y: number; kind: 'title' | 'note' | 'small' }

// headed places title, note and caption at the top of a plot, and says where they end.
export function headed(width: number, title: string, note: string, caption: string): { lines: Line[]; end: number } {
  const lines: Line[] = [];
  let y = 4;
  for (const [text, kind] of [[title, 'title'], [note, 'note'], [caption, 'small']] as const) {
    for (const line of wrapped(text, width - 8, sizes[kind], kind === 'title')) {
      y += sizes[kind] * 1.35;
      lines.push({ text: line, y: y - sizes[kind] * 0.3, kind });
    }
    y += 2;
  }
  return { lines, end: y + 6 };
}

// spread moves labels as little as it can until each has its height, within top and bottom, and returns where each is.
export function spread(wanted: number[], height: number, top: number, bottom: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]! || a - b);
  const at = [...wanted];
  let next = top + height / 2;
  for (const i of order) { at[i] = Math.max(wanted[i]!, next); next = at[i]! + height; }
  next = bottom - height / 2;
  for (const i of order.reverse()) { at[i] = Math.min(at[i]!, next); next = at[i]! - height; }
  return at;
}
