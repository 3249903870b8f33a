// The sign of an indicator: a tick, a dash, a cross, each in a shape of its own, so that nobody needs its colour; and a tick in the
// empty outline of the cross for what was broken, and holds again.
import type { Light } from '../types';

const outlines: Record<Light, string> = { green: 'M8 1 A7 7 0 1 1 7.99 1 Z', amber: 'M8 1.2 L15.2 14.4 H0.8 Z', red: 'M5 0.8 H11 L15.2 5 V11 L11 15.2 H5 L0.8 11 V5 Z' };
const signs: Record<Light, string> = { green: 'M4.6 8.2 L7.2 10.8 L11.6 5.6', amber: 'M8 5.6 V9.4 M8 11.6 V12.2', red: 'M5.3 5.3 L10.7 10.7 M10.7 5.3 L5.3 10.7' };

export function Sign({ light }: { light: Light | 'was' }) {
  const was = light === 'was';
  return (
    <svg class="indicator-sign" data-light={light} width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
      <path class="indicator-outline" d={outlines[was ? 'red' : light]} />
      <path class="indicator-stroke" d={signs[was ? 'green' : light]} />
    </svg>
  );
}
