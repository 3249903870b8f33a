// Light or dark: as the machine has it, unless somebody chooses.
import { computed, effect, signal } from '@preact/signals';

export type Theme = 'light' | 'dark';
export type Choice = Theme | 'auto';

const dark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');
const machine = signal<Theme>(dark?.matches ? 'dark' : 'light');

export const choice = signal<Choice>(kept());
export const theme = computed<Theme>(() => (choice.value === 'auto' ? machine.value : choice.value));

// A page that was opened from a file may have no storage; then a choice holds as long as the page.
function kept(): Choice {
  try {
    const was = localStorage.getItem('theme');
    return was === 'light' || was === 'dark' ? was : 'auto';
  } catch {
    return 'auto';
  }
}

// keepTheme shows the theme from now on.
export function keepTheme(): void {
  dark?.addEventListener('change', () => { machine.value = dark.matches ? 'dark' : 'light'; });
  effect(() => { document.documentElement.dataset['theme'] = theme.value; });
  effect(() => {
    try {
      localStorage.setItem('theme', choice.value);
    } catch { /* see kept */ }
  });
}

// colour returns a colour of palette.css, as it is now: for a canvas.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
