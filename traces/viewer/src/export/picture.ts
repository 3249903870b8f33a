// Pictures of the diagram of a recording, to be kept or printed: they are as on the page, in light colours, with a title and a key.
import type { Brush } from '../diagram/brush';
import { CanvasBrush } from '../diagram/canvas';
import { Layout } from '../diagram/layout';
import { paint } from '../diagram/paint';
import { shapes } from '../diagram/shapes';
import { above, below, type View } from '../diagram/view';
import { Recording } from '../recording';
import { upkeep } from '../store';
import { lightColour } from './light';
import { escape, SvgBrush, widthOf } from './svg';

// Options are what a picture has. Frames is how many at most: a picture that nobody can open is of no use.
export interface Options { frames: number; upkeep: boolean }

const most = 2000;      // frames
const largest = 16_000; // pixels: browsers make no canvas that is larger
const area = 60e6;      // pixels, likewise

interface Sheet { layout: Layout; view: View; title: string[]; top: number; keys: string[][]; width: number; height: number }

function options(given: Partial<Options> | undefined): Options { return { frames: most, upkeep: upkeep.peek(), ...given }; }

// sheetOf finds out how large a picture is, and what is on it.
function sheetOf(recording: Recording, { frames, upkeep: all }: Options): Sheet {
  let shown = recording;
  if (recording.frames.length > frames) {
    shown = new Recording(recording.header);
    shown.add(recording.frames.slice(0, frames));
  }
  const layout = new Layout(shown, all);
  const columns = Math.max(1, layout.columns);
  const width = Math.max(560, 110 + columns * (columns > 6 ? 120 : 170));
  const height = Math.ceil(30 + above + layout.height + below);
  const { title, watch, algorithm } = recording.header;
  const rest = recording.frames.length > frames ? `, the first ${frames} of ${recording.frames.length} events` : '';
  const lines = [...wrap(`${title}${algorithm ? ` (${algorithm})` : ''}${rest}`, width - 24, 15), ...wrap(watch ?? '', width - 24, 11)];
  const top = 16 + 18 * lines.length;
  const view = { width, height, left: 84, right: 24, header: 30, columns, k: 1, ty: 30 + above };
  const keys = keyLines(width - 24);
  return { layout, view, title: lines, top, keys, width, height: top + height + 18 * keys.length + 12 };
}

// wrap breaks a text into lines.
function wrap(text: string, width: number, size: number): string[] {
  const all: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = all.length > 0 ? `${all.at(-1)} ${word}` : word;
    if (all.length > 0 && widthOf(longer, size) <= width) all[all.length - 1] = longer;
    else all.push(word);
  }
  return all;
}

const keys: [keyof typeof shapes, string, string][] = [
  ['start', 'starts, or is back', '--follows'], ['receive', 'takes a message', '--follows'], ['timer', 'a timer ends', '--follows'],
  ['call', 'is called', '--follows'], ['save', 'its disk has it', '--follows'], ['write', 'writes', '--follows'], ['crash', 'crashes, or a message is lost', '--red'],
  ['pause', 'pauses', '--follows'], ['resume', 'goes on', '--follows'], ['links', 'links are cut or healed', '--red'],
];

// keyLines puts the key into lines.
function keyLines(width: number): string[][] {
  const all: string[][] = [[]];
  let used = 0;
  for (const [kind, says] of keys) {
    const wide = widthOf(says, 11) + 34;
    if (used + wide > width && all.at(-1)!.length > 0) { all.push([]); used = 0; }
    all.at(-1)!.push(kind);
    used += wide;
  }
  return all;
}

// paintKey paints the key below the diagram.
function paintKey(sheet: Sheet, brush: Brush): void {
  sheet.keys.forEach((line, i) => {
    let x = 20;
    const y = sheet.top + sheet.view.height + 10 + 18 * i;
    for (const name of line) {
      const [kind, says, colour] = keys.find((key) => key[0] === name)!;
      brush.mark(shapes[kind], x, y, 5, colour, false);
      brush.text(says, x + 11, y, { size: 11, colour: '--soft' });
      x += widthOf(says, 11) + 34;
    }
  });
}

function paintTitle(sheet: Sheet, brush: Brush): void {
  sheet.title.forEach((line, i) => brush.text(line, 12, 18 + 18 * i, { size: i === 0 ? 15 : 11, bold: i === 0, colour: i === 0 ? '--ink' : '--soft' }));
}

// exportSVG returns the diagram of a recording as SVG.
export function exportSVG(recording: Recording, given?: Partial<Options>): string {
  const sheet = sheetOf(recording, options(given));
  const brush = new SvgBrush();
  paint(sheet.layout, sheet.view, brush);
  const diagram = brush.body();
  brush.box(0, 0, sheet.width, sheet.height, '--card');
  paintTitle(sheet, brush);
  paintKey(sheet, brush);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet.width}" height="${sheet.height}" viewBox="0 0 ${sheet.width} ${sheet.height}" ` +
    `role="img" aria-labelledby="title what" font-family="system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif" fill="none">\n` +
    `<title id="title">${escape(recording.header.title)}</title>\n<desc id="what">${escape(recording.header.watch || 'Time goes down; each node is a column, each message an arrow.')}</desc>\n` +
    `<defs>${brush.patterns()}</defs>\n${brush.body()}\n<g transform="translate(0 ${sheet.top})">\n${diagram}\n</g>\n</svg>\n`;
}

// exportPNG returns the diagram of a recording as PNG: twice as fine as the screen, or as fine as a browser can.
export async function exportPNG(recording: Recording, given?: Partial<Options>): Promise<Blob> {
  const sheet = sheetOf(recording, options(given));
  const { width, height } = sheet;
  const fine = Math.min(2, largest / height, largest / width, Math.sqrt(area / (width * height)));
  const canvas = document.createElement('canvas');
  canvas.width = Math.floor(width * fine);
  canvas.height = Math.floor(height * fine);
  const to = canvas.getContext('2d', { alpha: false });
  if (!to) throw new Error('this browser gives no canvas to paint on: export SVG instead');
  const part = document.createElement('canvas');
  part.width = Math.floor(sheet.view.width * fine);
  part.height = Math.floor(sheet.view.height * fine);
  const on = part.getContext('2d', { alpha: false });
  if (!on) throw new Error('this browser gives no canvas to paint on: export SVG instead');
  const brush = new CanvasBrush(on, lightColour, fine);
  brush.begin();
  paint(sheet.layout, sheet.view, brush);
  const around = new CanvasBrush(to, lightColour, fine);
  around.begin();
  around.box(0, 0, width, height, '--card');
  to.drawImage(part, 0, sheet.top, sheet.view.width, sheet.view.height);
  paintTitle(sheet, around);
  paintKey(sheet, around);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('this picture is too large for this browser: export SVG instead'))), 'image/png');
  });
}
