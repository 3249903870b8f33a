// Links that hold what they show: the part after the # is a whole run, or a whole file, packed. No server sees it.
import type { RunSpec } from '../types';

export interface File { name: string; text: string }

// Linked is what a link holds.
export type Linked =
  | { what: 'runSpec'; runSpec: RunSpec; at?: number; wrong?: string }
  | { what: 'file'; file: File; at?: number; wrong?: string }
  | { what: 'story'; name: string; by?: string; beside?: string; at?: number; wrong?: string }
  | { what: 'tour'; name: string; at?: number; wrong?: string }
  | { what: 'golden'; name: string; at?: number; wrong?: string }; // wrong is what is wrong with where to begin to look

export const longest = 64 * 1024;        // bytes, packed: some browsers and most chats cut longer links
const largest = 64 * 1024 * 1024;        // bytes, unpacked: a link that unpacks to more is not one of ours

// fragment returns what comes after the # of a link.
export async function fragment(linked: Linked): Promise<string> {
  const at = linked.at === undefined ? '' : `&at=${linked.at}`;
  switch (linked.what) {
    case 'story': return [`s=${encodeURIComponent(linked.name)}`, ...(['by', 'beside'] as const).flatMap((part) => (linked[part] ? [`${part}=${encodeURIComponent(linked[part])}`] : []))].join('&') + at;
    case 'tour': return `tour=${encodeURIComponent(linked.name)}`;
    case 'golden': return `g=${encodeURIComponent(linked.name)}${at}`;
    case 'runSpec': return `r=${await pack(JSON.stringify(linked.runSpec))}${at}`;
    case 'file': return `f=${await pack(JSON.stringify([linked.file.name, linked.file.text]))}${at}`;
  }
}

// linked reads what comes after the #. It returns null if that is nothing of ours, and throws an error, for people, if it is broken.
export async function linked(hash: string): Promise<Linked | null> {
  const parts = new Map(hash.replace(/^#/, '').split('&').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name, value.join('=')] as const;
  }));
  const at = place(parts.get('at'));
  const tour = parts.get('tour');
  if (tour !== undefined) return { what: 'tour', name: decoded(tour) };
  const story = parts.get('s');
  if (story !== undefined) {
    const [by, beside] = [parts.get('by'), parts.get('beside')];
    return { what: 'story', name: decoded(story), ...(by && { by: decoded(by) }), ...(beside && { beside: decoded(beside) }), ...at };
  }
  const golden = parts.get('g');
  if (golden !== undefined) return { what: 'golden', name: decoded(golden), ...at };
  const run = parts.get('r');
  if (run !== undefined) {
    const runSpec = read(await unpack(run));
    if (typeof runSpec !== 'object' || runSpec === null || (runSpec as RunSpec).runSpec !== 1 || !Array.isArray((runSpec as RunSpec).do)) {
      throw new Error('the link holds no run that this page can play: it may be of another version, or cut short');
    }
    return { what: 'runSpec', runSpec: runSpec as RunSpec, ...at };
  }
  const file = parts.get('f');
  if (file !== undefined) {
    const pair = read(await unpack(file));
    if (!Array.isArray(pair) || pair.length !== 2 || !pair.every((p) => typeof p === 'string')) {
      throw new Error('the link holds no file that this page can read: it may be of another version, or cut short');
    }
    return { what: 'file', file: { name: pair[0] as string, text: pair[1] as string }, ...at };
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('the link names a story, a tour or a golden trace, and the name is cut short');
  }
}

// place reads where to begin to look. If that is broken, the link still holds what it holds.
function place(text: string | undefined): { at?: number; wrong?: string } {
  if (text === undefined) return {};
  if (!/^\d{1,9}$/.test(text)) return { wrong: `the link says to go to frame "${text.slice(0, 20)}": that is no number` };
  return { at: Number(text) };
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('what the link holds is not JSON: it may have been changed on its way');
  }
}

// pack packs a text so that it may stand in a link: deflate, then base64 with - and _.
export async function pack(text: string): Promise<string> {
  const bytes = new Uint8Array(await new Response(through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'))).arrayBuffer());
  let binary = '';
  for (let i = 0; i < bytes.length; i += 4096) binary += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// unpack is the way back. What chats add at the end of a link, such as a full stop, is no part of it.
export async function unpack(packed: string): Promise<string> {
  const clean = packed.replace(/[.,;:!?)\]}>'"\s]+$/, '');
  if (clean === '') throw new Error('the link is cut short: there is nothing after its =');
  if (!/^[\w-]*$/.test(clean)) throw new Error('the link has characters that do not belong there: copy all of it, and nothing else');
  try {
    const binary = atob(clean.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    return await drain(through(bytes, new DecompressionStream('deflate-raw')));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error('the link cannot be unpacked: it is cut short, or was changed on its way');
  }
}

function through(bytes: Uint8Array<ArrayBuffer>, by: CompressionStream | DecompressionStream): ReadableStream<Uint8Array> {
  return new Blob([bytes]).stream().pipeThrough(by as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
}

// drain reads all of a stream, unless that is more than a link of ours can hold: a few bytes may unpack to gigabytes.
async function drain(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > largest) {
      await reader.cancel();
      throw new RangeError(`the link unpacks to more than ${largest >> 20} MB: open the file itself`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
