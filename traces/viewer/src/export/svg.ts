// The brush of SVG: a picture that stands alone, with no style or font from elsewhere.
import { bandColour, hatches, hatchOf, lines, type Brush, type Stroke, type Words } from '../diagram/brush';
import type { Shape } from '../diagram/shapes';
import { lightColour } from './light';

// escape writes a text so that XML has it as it is. What XML cannot have at all is left out.
export function escape(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export function n(x: number): string { return String(Math.round(10 * x) / 10); }

// widthOf guesses how wide a text is, in fonts without serifs: a little too wide rather than too narrow.
export function widthOf(text: string, size: number, bold = false): number {
  let width = 0;
  for (const c of text) {
    if (/[A-Z_…→↔]/.test(c)) width += 0.74;
    else if (/[ilj.,:;!|' ]/.test(c)) width += 0.33;
    else width += 0.61;
  }
  return width * size * (bold ? 1.08 : 1);
}

export class SvgBrush implements Brush {
  readonly #parts: string[] = [];
  readonly #patterns = new Map<string, string>();

  width(text: string, size: number, bold = false): number { return widthOf(text, size, bold); }

  box(x: number, y: number, w: number, h: number, colour: string): void {
    this.#parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${lightColour(colour)}"/>`);
  }

  band(x: number, y: number, w: number, h: number, epoch: number): void {
    const colour = lightColour(bandColour(epoch));
    const of = `x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"`;
    this.#parts.push(`<rect ${of} fill="${colour}" fill-opacity=".45"/><rect ${of} fill="url(#${this.#pattern(epoch)})" stroke="${colour}" stroke-width="1.5"/>`);
  }

  #pattern(epoch: number): string {
    const name = `epoch-${epoch > 0 ? epoch % 8 : 'none'}-${hatchOf(epoch)}`;
    if (this.#patterns.has(name)) return name;
    const drawn = hatches[hatchOf(epoch)]!.map((angle) => {
      if (angle === 0) return 'M0 6H12';
      if (angle === 90) return 'M6 0V12';
      return angle > 0 ? 'M-3 15L15 -3M-3 3L3 -3M9 15L15 9' : 'M-3 -3L15 15M-3 9L3 15M9 -3L15 3';
    }).join('');
    this.#patterns.set(name, `<pattern id="${name}" width="12" height="12" patternUnits="userSpaceOnUse"><path d="${drawn}" ` +
      `stroke="${lightColour(bandColour(epoch))}" stroke-width="1.5" fill="none"/></pattern>`);
    return name;
  }

  line(x0: number, y0: number, x1: number, y1: number, stroke: Stroke): void {
    const { colour, width, dash } = lines[stroke];
    const dashed = dash.length > 0 ? ` stroke-dasharray="${dash.join(' ')}"` : '';
    this.#parts.push(`<path d="M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}" stroke="${lightColour(colour)}" stroke-width="${width}"${dashed}/>`);
  }

  head(x: number, y: number, dx: number, dy: number, stroke: Stroke): void {
    const long = stroke === 'upkeep' ? 5 : 7;
    const [bx, by, w] = [x - dx * long, y - dy * long, 0.42 * long];
    this.#parts.push(`<path d="M${n(x)} ${n(y)}L${n(bx - w * dy)} ${n(by + w * dx)}L${n(bx + w * dy)} ${n(by - w * dx)}Z" fill="${lightColour(lines[stroke].colour)}"/>`);
  }

  mark(shape: Shape, x: number, y: number, r: number, colour: string, ring: boolean): void {
    const fill = lightColour(colour);
    const edge = `stroke="${lightColour('--card')}" stroke-width="1"`;
    const c = shape.corners;
    if (!c) {
      this.#parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}" ${edge}/>`);
    } else if (shape.open) {
      let d = '';
      for (let i = 0; i < c.length; i += 4) d += `M${n(x + r * c[i]!)} ${n(y + r * c[i + 1]!)}L${n(x + r * c[i + 2]!)} ${n(y + r * c[i + 3]!)}`;
      this.#parts.push(`<path d="${d}" stroke="${fill}" stroke-width="${n(Math.max(1.25, 0.5 * r))}"/>`);
    } else {
      const points = c.map((v, i) => n((i % 2 === 0 ? x : y) + r * v)).join(' ');
      this.#parts.push(`<polygon points="${points}" fill="${fill}" ${edge}/>`);
    }
    if (ring) this.#parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r + 3)}" stroke="${lightColour('--accent')}"/>`);
  }

  text(text: string, x: number, y: number, words: Words): void {
    const anchor = { left: '', center: ' text-anchor="middle"', right: ' text-anchor="end"' }[words.align ?? 'left'];
    const turned = words.angle ? ` transform="rotate(${n(words.angle * 180 / Math.PI)} ${n(x)} ${n(y)})"` : '';
    const halo = words.halo ? ` stroke="${lightColour(words.halo)}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : '';
    this.#parts.push(`<text x="${n(x)}" y="${n(y)}" dy=".35em" font-size="${words.size}"${words.bold ? ' font-weight="600"' : ''} ` +
      `fill="${lightColour(words.colour)}"${anchor}${halo}${turned}>${escape(text)}</text>`);
  }

  flush(): void { /* what is painted first is below in any case */ }

  // body returns what was painted since it was last called.
  body(): string { return this.#parts.splice(0).join('\n'); }

  // patterns returns the definitions that what was painted needs.
  patterns(): string { return [...this.#patterns.values()].join('\n'); }
}
