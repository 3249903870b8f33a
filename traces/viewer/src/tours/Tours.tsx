// The dialog that lists the tours, and the offer to whoever comes for the first time.
import { signal } from '@preact/signals';
import { Dialog } from '../menu/Dialog';
import { Icon } from '../menu/Icon';
import { dialog } from '../menu/which';
import { takeTour } from './Card';
import { on } from './guide';
import { tours } from './stories';
import './tours.css';

const key = 'tours'; // in what the browser keeps: that they were offered

// offered is whether the tours have been offered once. A page that may keep nothing offers them at each visit.
const offered = signal(known());

// offering is true on a page that was opened without anything to show: who follows a link has come for what it holds.
export const offering = signal(false);

function known(): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function know(): void {
  offered.value = true;
  try {
    localStorage.setItem(key, 'offered');
  } catch { /* see offered */ }
}

function take(name: string): void {
  know();
  dialog.value = null;
  void takeTour(name);
}

export function Offer() {
  if (!offering.value || offered.value || on.value) return null;
  return (
    <p class="offer">
      <span>New here? <button type="button" class="link" onClick={() => take(tours[0]!.name)}>Take a tour of a minute</button>, <button type="button" class="link" onClick={() => take('split-brain')}>see a split brain</button>, or <button type="button" class="link" onClick={() => { know(); dialog.value = 'tours'; }}>see all {tours.length}</button>.</span>
      <button type="button" class="quiet" aria-label="No tour" onClick={know}><Icon name="close" /></button>
    </p>
  );
}

export function ToursDialog() {
  return (
    <Dialog title="Tours">
      <p class="soft">Each takes less than a minute. N goes on, B back, Esc leaves.</p>
      <ol class="choices tour-list">
        {tours.map(({ name, title, about }) => (
          <li key={name}><button type="button" onClick={() => take(name)}><strong>{title}</strong><span>{about}</span></button></li>
        ))}
      </ol>
    </Dialog>
  );
}
