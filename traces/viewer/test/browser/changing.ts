// A recording in which members come and go, as a file: a fixture of this page, which no golden trace can change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Header } from '../../src/types';
import { viewer } from './built';

export interface Changing { text: string; added: number; adopted: number; spoken: number } // and after how many frames something has happened

export function changing(): Changing {
  const { header, frames } = JSON.parse(readFileSync(join(viewer, 'src/fixtures/members.json'), 'utf8')) as { header: Header; frames: Frame[] };
  const after = (says: RegExp): number => {
    const found = frames.findIndex((f) => says.test(`${f.text}; ${f.note}`)) + 1;
    if (found === 0) throw new Error(`${says} is nowhere in the fixture`);
    return found;
  };
  return {
    text: [header, ...frames].map((line) => `${JSON.stringify(line)}\n`).join(''),
    added: after(/is called to add 4/), adopted: after(/adopts version 2 of epoch 1/), spoken: after(/says IM_BACK to all other members/),
  };
}
