// Which dialog is open, if any.
import { signal } from '@preact/signals';

export type Which = 'setup' | 'tours' | 'gallery' | 'open' | 'share' | 'export' | 'help';

export const dialog = signal<Which | null>(null);
