// What the page and its worker say to each other.
import type { Exported, Frame, Header, Opened } from '../types';

// Asked is what the page says: first which engine, then what it wants. A number is of one question.
export type Asked =
  | { program: WebAssembly.Module }
  | { number: number; what: 'open'; text: string; name: string }
  | { number: number; what: 'trace' | 'testCase' | 'close'; handle: number };

// Said is what the worker says: of a file first its header, then its frames in parts, then the rest.
export type Said =
  | { number: number; header: Header }
  | { number: number; frames: Frame[] }
  | { number: number; opened: Omit<Opened, 'frames'> }
  | { number: number; exported: Exported }
  | { number: number; failed: string };
