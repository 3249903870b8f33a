// The overview beside the diagram: all of a recording in a narrow strip, with its reigns, where indicators turned red, where we are, and
// which part the diagram shows.
import { bandColour } from './brush';
import type { Palette } from './canvas';
import type { Layout } from './layout';
import { layoutY, type View } from './view';

export const strip = 16; // how wide it is, in pixels

// overviewY returns where in a strip of some height a place of the layout is.
export function overviewY(layout: Layout, height: number, y: number): number { return 2 + (height - 4) * Math.max(0, Math.min(1, y / layout.height)); }

// placeAt returns the place of the layout at some height of the strip.
export function placeAt(layout: Layout, height: number, y: number): number { return layout.height * Math.max(0, Math.min(1, (y - 2) / Math.max(1, height - 4))); }

export function paintOverview(to: CanvasRenderingContext2D, dpr: number, layout: Layout, view: View, palette: Palette, cursor: number): void {
  const { height } = view;
  to.setTransform(dpr, 0, 0, dpr, 0, 0);
  to.fillStyle = palette('--paper');
  to.fillRect(0, 0, strip, height);
  const at = (y: number) => overviewY(layout, height, y);
  for (const band of layout.bands(-Infinity, Infinity)) {
    to.fillStyle = palette(bandColour(band.epoch));
    to.fillRect(3, at(band.from), strip - 6, Math.max(1, at(band.to) - at(band.from)));
  }
  to.fillStyle = palette('--red');
  for (const place of layout.reds) {
    const y = at(layout.axis.y[place]!);
    to.beginPath();
    to.moveTo(strip, y - 4);
    to.lineTo(strip - 7, y);
    to.lineTo(strip, y + 4);
    to.fill();
  }
  const top = at(layoutY(view, view.header));
  to.strokeStyle = palette('--edge');
  to.lineWidth = 1.5;
  to.strokeRect(1, top, strip - 2, Math.max(4, at(layoutY(view, height)) - top));
  to.fillStyle = palette('--accent');
  to.fillRect(0, at(cursor) - 1, strip, 2);
}
