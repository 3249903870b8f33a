// What the page and its workers say to each other.
import type { Frame, Header } from '../types';
import type { Method } from './calls';

// Begin is what a worker is told first: which engine it starts, and in which environment.
export interface Begin { program: WebAssembly.Module; env: Record<string, string> }

// Question is what the page asks. A number is of one question.
export interface Question { number: number; method: Method; args: unknown[] }

// Said is what a worker says: that its engine is there, or why not; and of each question the answer. An answer with many frames comes in parts: first its
// header, if it has one, then frames, then the rest.
export type Said =
  | { ready: true }
  | { number: number; header: Header }
  | { number: number; frames: Frame[] }
  | { number: number; answer: unknown }
  | { number: number; failed: string };
