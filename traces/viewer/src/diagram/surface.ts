// The surface of the diagram: two canvases, one above the other, and what keeps them as they should be. The lower has the
// diagram, and is painted again when something there has changed; the upper has the cursor, and is painted often. Beside them
// is the overview.
import { select, type Selection } from 'd3-selection';
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior } from 'd3-zoom';
import type { Recording } from '../recording';
import { CanvasBrush, type Palette } from './canvas';
import { cursorY, paintCursor, type Now } from './cursor';
import { Layout } from './layout';
import { paintOverview, placeAt, strip } from './overview';
import { paint } from './paint';
import { above, least, most, screenY, settle, viewOf, type View } from './view';

// Told is what the surface tells of itself.
export interface Told { away: boolean } // the cursor is not to be seen

export class Surface {
  layout: Layout | null = null;
  view: View = viewOf(0, 0, 1);
  now: Now = { count: 0, progress: 0, coming: 1, hover: null, chosen: null };
  following = true;      // the view goes with the cursor
  painted = 0;           // how often the lower canvas was painted: for tests
  tell: (told: Told) => void = () => {};
  readonly #lower: HTMLCanvasElement;
  readonly #upper: HTMLCanvasElement;
  readonly #whole: HTMLCanvasElement;
  readonly #colour: (name: string) => string;
  readonly #zoom: ZoomBehavior<HTMLCanvasElement, unknown>;
  readonly #on: Selection<HTMLCanvasElement, unknown, null, undefined>;
  #brush: CanvasBrush | null = null;
  #palette: Palette = () => '';
  #dpr = 1;
  #frame = 0;
  #stale = true;         // the lower canvas is not as it should be
  #away = false;
  #finger: number | null = null; // where the one finger is that touches it

  constructor(lower: HTMLCanvasElement, upper: HTMLCanvasElement, whole: HTMLCanvasElement, colour: (name: string) => string) {
    this.#lower = lower;
    this.#upper = upper;
    this.#whole = whole;
    this.#colour = colour;
    this.#on = select(upper);
    this.#zoom = zoom<HTMLCanvasElement, unknown>()
      .filter((event: MouseEvent | WheelEvent) => (event.type === 'wheel' ? event.ctrlKey || event.metaKey : !event.button && !event.ctrlKey))
      .clickDistance(4)
      .constrain((t) => zoomIdentity.translate(0, settle(this.view, this.#height, t.k, t.y)).scale(t.k))
      .on('zoom', (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => this.#zoomed(event));
    upper.addEventListener('wheel', this.#wheel, { passive: false });
    upper.addEventListener('touchstart', this.#touch, { passive: true }); // before d3, which keeps them from whoever is after it
    upper.addEventListener('touchmove', this.#touch, { passive: true });
    this.#on.call(this.#zoom).on('dblclick.zoom', null);
    this.repaint();
  }

  get #height(): number { return this.layout?.height ?? 0; }

  // close ends it.
  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#on.on('.zoom', null);
    this.#upper.removeEventListener('wheel', this.#wheel);
    this.#upper.removeEventListener('touchstart', this.#touch);
    this.#upper.removeEventListener('touchmove', this.#touch);
  }

  // show shows a recording. If it is another branch of the one before, the view stays where it is.
  show(recording: Recording | null, upkeep: boolean): void {
    const was = this.layout?.recording.header;
    const same = recording !== null && was?.title === recording.header.title && was.source === recording.header.source
      && was.algorithm === recording.header.algorithm && was.nodes.length === recording.header.nodes.length;
    const anchor = this.layout && same ? screenY(this.view, this.layout.axis.cursor(this.now.count)) : 0;
    this.layout = recording && new Layout(recording, upkeep);
    this.now.hover = this.now.chosen = null;
    this.following = true;
    this.view = this.#viewOf(this.view.width, this.view.height);
    this.#limit();
    if (same && this.layout) this.#go(this.view.k, anchor - this.view.k * this.layout.axis.cursor(this.now.count));
    else this.#go(1, this.view.header + above);
    this.stale();
  }

  #viewOf(width: number, height: number): View {
    const { k, ty } = this.view;
    return { ...viewOf(width, height, this.layout?.columns ?? 1, this.layout?.recording.header.timed), k, ty };
  }

  // grown says that the recording may have more frames than before.
  grown(): void {
    this.layout?.update();
    this.#limit();
    this.stale();
  }

  // resize fits it to so much room.
  resize(width: number, height: number): void {
    this.#dpr = Math.min(3, devicePixelRatio || 1);
    for (const canvas of [this.#lower, this.#upper]) {
      canvas.width = Math.round(width * this.#dpr);
      canvas.height = Math.round(height * this.#dpr);
    }
    this.#whole.width = Math.round(strip * this.#dpr);
    this.#whole.height = Math.round(height * this.#dpr);
    const { k, ty } = this.view;
    this.view = this.#viewOf(width, height);
    this.#limit();
    this.#go(Math.max(k, least(this.view, this.#height)), ty);
    this.follow(false);
    this.repaint();
  }

  // repaint paints all of it again: the colours may be others.
  repaint(): void {
    const known = new Map<string, string>();
    this.#palette = (name) => {
      let value = known.get(name);
      if (value === undefined) known.set(name, (value = this.#colour(name)));
      return value;
    };
    const to = this.#lower.getContext('2d', { alpha: false });
    this.#brush = to && new CanvasBrush(to, this.#palette, this.#dpr);
    this.stale();
  }

  #limit(): void { this.#zoom.scaleExtent([least(this.view, this.#height), most]); }

  #zoomed(event: D3ZoomEvent<HTMLCanvasElement, unknown>): void {
    this.view = { ...this.view, k: event.transform.k, ty: event.transform.y };
    if (event.sourceEvent) this.#byHand();
    this.stale();
  }

  // #byHand stops following if somebody looks elsewhere.
  #byHand(): void { if (this.#isAway()) this.following = false; }

  #isAway(): boolean {
    if (!this.layout) return false;
    const y = screenY(this.view, cursorY(this.layout, this.now));
    return y < this.view.header - 2 || y > this.view.height + 2;
  }

  readonly #wheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const unit = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? this.view.height : 1;
    if (this.scroll(event.deltaY * unit)) event.preventDefault(); // else the page goes on
  };

  // #touch scrolls the page when a finger would drag the diagram beyond its end: else there is no way past it on a phone.
  readonly #touch = (event: TouchEvent): void => {
    const finger = event.touches.length === 1 ? event.touches[0]!.clientY : null;
    const by = event.type === 'touchmove' && finger !== null && this.#finger !== null ? finger - this.#finger : 0;
    this.#finger = finger;
    const { k, ty } = this.view;
    if (by !== 0 && settle(this.view, this.#height, k, ty + by) === ty) document.scrollingElement?.scrollBy({ top: -by, behavior: 'instant' });
  };

  // scroll goes down by so many pixels, and reports whether it could.
  scroll(by: number): boolean {
    const ty = settle(this.view, this.#height, this.view.k, this.view.ty - by);
    if (ty === this.view.ty) return false;
    this.#go(this.view.k, ty);
    this.#byHand();
    return true;
  }

  // goTo shows what is at some height of the overview, in the middle.
  goTo(y: number): void {
    const { layout, view } = this;
    if (!layout) return;
    this.#go(view.k, (view.height + view.header) / 2 - view.k * placeAt(layout, view.height, y));
    this.#byHand();
  }

  // magnify zooms by a factor: around the cursor if it is to be seen, else around the middle.
  magnify(by: number): void {
    const { view } = this;
    const here = this.layout ? screenY(view, this.layout.axis.cursor(this.now.count)) : 0;
    const y = this.#isAway() ? view.height / 2 : here;
    const k = Math.max(least(view, this.#height), Math.min(most, view.k * by));
    this.#go(k, y - (y - view.ty) * k / view.k);
  }

  // fit shows all of the recording.
  fit(): void { this.#go(least(this.view, this.#height), 0); }

  // #go sets zoom and place, as near as can be.
  #go(k: number, ty: number): void {
    const settled = settle(this.view, this.#height, k, ty);
    this.#on.call((on) => this.#zoom.transform(on, zoomIdentity.translate(0, settled).scale(k)));
  }

  // follow brings the cursor to be seen: far enough from the edges, and not farther than need be.
  follow(force: boolean): void {
    if (force) this.following = true;
    if (!this.following || !this.layout || this.view.height === 0) return;
    const { view } = this;
    const y = screenY(view, cursorY(this.layout, this.now));
    const high = view.header + 0.16 * (view.height - view.header);
    const low = view.header + 0.68 * (view.height - view.header);
    if (y >= high && y <= low) return;
    const far = y < -view.height || y > 2 * view.height;
    const to = far ? (high + low) / 2 : y < high ? high : low;
    this.#go(view.k, view.ty + to - y);
  }

  // stale says that the diagram has changed, moved that only the cursor has.
  stale(): void {
    this.#stale = true;
    this.moved();
  }

  moved(): void { this.#frame ||= requestAnimationFrame(() => this.paint()); }

  // paint paints what is not as it should be.
  paint(): void {
    this.#frame = 0;
    const { layout, view } = this;
    if (view.width === 0 || view.height === 0) return;
    const upper = this.#upper.getContext('2d');
    if (!layout || !this.#brush || !upper) return;
    if (this.#stale) {
      this.#brush.begin();
      paint(layout, view, this.#brush);
      this.#stale = false;
      this.painted++;
    }
    paintCursor(upper, this.#dpr, layout, view, this.#palette, this.now);
    const whole = this.#whole.getContext('2d', { alpha: false });
    if (whole) paintOverview(whole, this.#dpr, layout, view, this.#palette, cursorY(layout, this.now));
    const away = this.#isAway();
    if (away !== this.#away) this.tell({ away });
    this.#away = away;
  }
}
