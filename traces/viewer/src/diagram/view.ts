// What part of a diagram is to be seen, and where on the screen: everything that painting and pointing need besides the
// layout. Across, the columns fit the width; down, there is zoom.

export interface View {
  width: number;    // in pixels
  height: number;
  left: number;     // the margin with times
  right: number;    // the margin with marks of indicators
  header: number;   // the height of the names of the nodes
  columns: number;
  k: number;        // zoom: pixels on the screen for a pixel of the layout
  ty: number;       // where the top of the layout is
}

export const above = 26; // room between the names and the first frame
export const below = 30; // room after the last
export const most = 8;   // the largest zoom

// viewOf returns a view of so many columns in so much room, unzoomed and at the top.
export function viewOf(width: number, height: number, columns: number, timed = true): View {
  const narrow = width < 520;
  const header = 30;
  return { width, height, left: narrow ? (timed ? 68 : 44) : 84, right: narrow ? 16 : 24, header, columns, k: 1, ty: header + above };
}

// spacing returns how far the columns are from each other.
export function spacing(view: View): number { return Math.max(4, (view.width - view.left - view.right) / Math.max(1, view.columns)); }

// columnX returns where a column is; it may be a fraction.
export function columnX(view: View, column: number): number { return view.left + (column + 0.5) * spacing(view); }

export function screenY(view: View, y: number): number { return view.ty + view.k * y; }
export function layoutY(view: View, y: number): number { return (y - view.ty) / view.k; }

// least returns the zoom at which a layout of some height is to be seen whole.
export function least(view: View, height: number): number {
  const room = Math.max(40, view.height - view.header - above - below);
  return Math.min(1, room / Math.max(1, height));
}

// settle returns where the top of a layout may be, as near as can be to where somebody wants it: there is nothing above the
// first frame, and little below the last.
export function settle(view: View, height: number, k: number, ty: number): number {
  const top = view.header + above;
  const bottom = view.height - below - k * height;
  return bottom >= top ? top : Math.min(top, Math.max(bottom, ty));
}
