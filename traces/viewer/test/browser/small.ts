// Makes pictures small: 256 colours are enough for a page like ours, and take a third of the bytes. Only what Chromium writes
// is read: 8 bits, RGB or RGBA, not interlaced.
import { deflateSync, inflateSync } from 'node:zlib';

interface Pixels { width: number; height: number; colours: Uint32Array } // each 0xrrggbb

// small returns the same picture, in 256 colours.
export function small(png: Buffer): Buffer {
  const pixels = decode(png);
  const palette = popular(pixels.colours);
  const nearest = new Map(palette.map((colour, i) => [colour, i]));
  const rows = Buffer.alloc((pixels.width + 1) * pixels.height); // each begins with 0: no filter
  pixels.colours.forEach((colour, i) => {
    let place = nearest.get(colour);
    if (place === undefined) nearest.set(colour, (place = closest(palette, colour)));
    rows[Math.floor(i / pixels.width) * (pixels.width + 1) + 1 + (i % pixels.width)] = place;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels.width, 0);
  header.writeUInt32BE(pixels.height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, with a palette
  const colours = Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]));
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const sums = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let i = 0; i < 8; i++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc32(data: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of data) sum = sums[(sum ^ byte) & 255]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

function decode(png: Buffer): Pixels {
  const [width, height, form] = [png.readUInt32BE(16), png.readUInt32BE(20), png.subarray(24, 29).join()];
  if (form !== '8,2,0,0,0' && form !== '8,6,0,0,0') throw new Error(`this PNG is of another form: ${form}`);
  const each = form.startsWith('8,6') ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(data));
  const line = width * each;
  const bytes = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) unfilter(raw, bytes, y, line, each);
  const colours = new Uint32Array(width * height);
  for (let i = 0; i < colours.length; i++) colours[i] = bytes.readUIntBE(i * each, 3);
  return { width, height, colours };
}

// unfilter restores a line, as PNG (section 9 of its specification) says.
function unfilter(raw: Buffer, bytes: Buffer, y: number, line: number, each: number): void {
  const from = y * (line + 1);
  const filter = raw[from]!;
  const to = y * line;
  for (let x = 0; x < line; x++) {
    const left = x >= each ? bytes[to + x - each]! : 0;
    const up = y > 0 ? bytes[to + x - line]! : 0;
    const corner = x >= each && y > 0 ? bytes[to + x - line - each]! : 0;
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    bytes[to + x] = raw[from + 1 + x]! + guess;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// popular returns at most 256 colours: of those that are alike the one that is most often used.
function popular(colours: Uint32Array): number[] {
  const often = new Map<number, number>();
  for (const colour of colours) often.set(colour, (often.get(colour) ?? 0) + 1);
  const found: number[] = [];
  for (let apart = 3; apart < 64; apart += 3) {
    found.length = 0;
    for (const [colour] of [...often].sort((a, b) => b[1] - a[1])) {
      if (found.every((other) => distance(other, colour) > apart * apart)) found.push(colour);
      if (found.length > 256) break;
    }
    if (found.length <= 256) break;
  }
  return found.slice(0, 256);
}

function distance(a: number, b: number): number {
  return ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
}

function closest(palette: number[], colour: number): number {
  return palette.reduce((best, other, i) => (distance(other, colour) < distance(palette[best]!, colour) ? i : best), 0);
}
