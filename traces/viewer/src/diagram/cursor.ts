// The layer above the diagram: where we are, what is yet to come, and what is pointed at. It is painted often, and is little.
import type { Layout } from './layout';
import { arrowOf, visible, type Arrow } from './arrows';
import type { Hit } from './hit';
import { columnX, screenY, type View } from './view';
import { when } from './axis';
import { font, type Palette } from './canvas';

export interface Now { count: number; progress: number; coming: number; hover: Hit; chosen: Hit }

// cursorY returns how far down we are: between two frames while a recording plays.
export function cursorY(layout: Layout, { count, progress, coming }: Pick<Now, 'count' | 'progress' | 'coming'>): number {
  const { axis, recording } = layout;
  const here = axis.cursor(count);
  if (progress <= 0 || count >= recording.frames.length) return here;
  return here + progress * (axis.cursor(Math.min(coming, recording.frames.length)) - here);
}

// lineY returns where the line of the cursor is on the screen: a little below what has happened, so as not to hide it.
export function lineY(layout: Layout, view: View, now: Now): number {
  const here = cursorY(layout, now);
  const { count } = now;
  const next = count < layout.recording.frames.length ? layout.axis.cursor(count + 1) : here + 16 / view.k;
  return screenY(view, here) + Math.max(1, Math.min(8, view.k * (next - here) / 2));
}

export function paintCursor(to: CanvasRenderingContext2D, dpr: number, layout: Layout, view: View, palette: Palette, now: Now): void {
  to.setTransform(dpr, 0, 0, dpr, 0, 0);
  to.clearRect(0, 0, view.width, view.height);
  const y = lineY(layout, view, now);
  paintFuture(to, layout, view, palette, Math.max(view.header, y + 1));
  for (const [hit, width] of [[now.chosen, 3], [now.hover, 3]] as const) if (hit) paintHit(to, layout, view, palette, hit, width);
  if (y >= view.header - 1 && y <= view.height + 1) paintHere(to, layout, view, palette, y, now.count);
}

// paintFuture dims what has not happened yet, where we are.
function paintFuture(to: CanvasRenderingContext2D, layout: Layout, view: View, palette: Palette, y: number): void {
  const end = Math.min(view.height, screenY(view, layout.height) + 8);
  if (y >= end) return;
  to.globalAlpha = 0.62;
  to.fillStyle = palette('--card');
  to.fillRect(0, y, view.width, end - y);
  to.globalAlpha = 1;
}

function paintHere(to: CanvasRenderingContext2D, layout: Layout, view: View, palette: Palette, y: number, count: number): void {
  to.strokeStyle = to.fillStyle = palette('--accent');
  to.lineWidth = 2;
  to.beginPath();
  to.moveTo(view.left - 12, y);
  to.lineTo(view.width - view.right, y);
  to.stroke();
  to.beginPath();
  to.moveTo(view.left - 4, y);
  to.lineTo(view.left - 13, y - 6);
  to.lineTo(view.left - 13, y + 6);
  to.fill();
  const frame = layout.recording.frames[count - 1];
  if (!frame) return;
  if (layout.axis.rows[layout.axis.rowOf(count - 1)] !== count - 1) { paintWhen(to, layout, view, palette, y, count); return; }
  if (frame.node >= 0) ring(to, columnX(view, frame.node), screenY(view, layout.axis.cursor(count)), 9, palette('--accent'));
}

// paintWhen writes when we are: a frame that is not shown has no time beside it.
function paintWhen(to: CanvasRenderingContext2D, layout: Layout, view: View, palette: Palette, y: number, count: number): void {
  to.fillStyle = palette('--card');
  to.fillRect(0, y - 8, view.left - 15, 16);
  to.font = `11px ${font}`;
  to.textAlign = 'right';
  to.textBaseline = 'middle';
  to.fillStyle = palette('--accent');
  to.fillText(when(layout.recording, count - 1), view.left - 16, y);
}

function ring(to: CanvasRenderingContext2D, x: number, y: number, r: number, colour: string): void {
  to.beginPath();
  to.arc(x, y, r, 0, 2 * Math.PI);
  to.strokeStyle = colour;
  to.lineWidth = 2;
  to.stroke();
}

function paintHit(to: CanvasRenderingContext2D, layout: Layout, view: View, palette: Palette, hit: NonNullable<Hit>, width: number): void {
  if ('frame' in hit) {
    const frame = layout.recording.frames[hit.frame];
    const y = screenY(view, layout.axis.y[hit.frame] ?? 0);
    if (frame && frame.node >= 0 && y > view.header) ring(to, columnX(view, frame.node), y, 8, palette('--ink'));
    return;
  }
  const flight = layout.recording.flights[hit.message - 1];
  if (!flight || !visible(layout.axis, flight)) return;
  const a: Arrow = arrowOf(layout.axis, flight, { x0: 0, y0: 0, x1: 0, y1: 0, end: 'open' });
  if (screenY(view, a.y1) < view.header) return;
  to.save();
  to.beginPath();
  to.rect(0, view.header, view.width, view.height);
  to.clip();
  to.strokeStyle = palette('--flight');
  to.lineWidth = width;
  to.beginPath();
  to.moveTo(columnX(view, a.x0), screenY(view, a.y0));
  to.lineTo(columnX(view, a.x1), screenY(view, a.y1));
  to.stroke();
  to.restore();
}
