// What a page saves as a file.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { downloaded } from './bidi';
import { current } from './browsers';

export interface Saved { name: string; data: Buffer }

// download does what makes the browser save a file, and returns that.
export async function download(page: Page, does: () => Promise<void>): Promise<Saved> {
  if (current === 'firefox') {
    const [{ name, file }] = await Promise.all([downloaded(page), does()]);
    return { name, data: readFileSync(file) };
  }
  const [got] = await Promise.all([page.waitForEvent('download'), does()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await got.createReadStream()) chunks.push(chunk as Buffer);
  return { name: got.suggestedFilename(), data: Buffer.concat(chunks) };
}
