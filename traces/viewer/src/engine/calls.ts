// How the Go program is asked, wherever it runs.
import type { Engine, Exported, Frame, Gallery, More, Opened, Problem, Sketched } from '../types';

// Called is how the Go program is asked: arguments and answer are JSON. The text of a file that is opened stands apart, as it may be large, and JSON takes long to be
// read. It answers at once; that of a worker answers later.
export interface Called<Answer = string> { call(method: string, args: string, text?: string): Answer }

export type Method = keyof Engine;

// Ask asks the program, and returns its answer; it fails if there is none.
export type Ask = (method: Method, args: unknown[]) => Promise<unknown>;

// directly returns what asks a program that runs here.
export function directly(program: Called): Ask {
  const call = (method: Method, args: unknown[]): unknown =>
    JSON.parse(method === 'open' ? program.call(method, JSON.stringify(args.slice(1)), args[0] as string) : program.call(method, JSON.stringify(args)));
  return async (method, args) => (method === 'onward' ? onward(call, ...args as [number, number, number]) : call(method, args));
}

// onward asks for one frame after the other, where the program runs: asked from the page each would be on its way for longer than it takes.
function onward(call: (method: Method, args: unknown[]) => unknown, handle: number, most: number, shown: number): More {
  const all: More = { frames: [], ended: false };
  for (let left = shown; left > 0 && all.frames.length < most && !all.ended && !all.problem;) {
    const { frames, ...rest } = call('next', [handle, 1]) as More;
    Object.assign(all, rest);
    all.frames.push(...frames);
    if (frames.length === 0) break;
    left -= frames.filter((frame) => !isUpkeep(frame)).length;
  }
  return all;
}

// isUpkeep reports whether a frame is left out while upkeep is not shown.
export function isUpkeep(frame: Frame): boolean { return frame.upkeep === true && !frame.indicators?.length; }

// engineOf makes an Engine of what asks one. If the program has died, each answer says so: the page goes on to show its recording.
export function engineOf(asking: Ask): Engine {
  async function ask<T>(method: Method, args: unknown[], failed: (problem: Problem) => T): Promise<T> {
    try {
      return await asking(method, args) as T;
    } catch (error) {
      return failed({ problem: `the engine does not answer (${error instanceof Error ? error.message : String(error)}): load the page again` });
    }
  }
  const noGallery = (): Gallery => ({ algorithms: [], profiles: [], golden: [], refused: [], scenarios: [], rules: [], actions: {} });
  const notOpened = (problem: Problem): Opened =>
    ({ handle: 0, header: { recording: 1, title: '', source: 'trace', nodes: [], timed: false }, frames: [], ended: true, problem });
  const noMore = (problem: Problem): More => ({ frames: [], ended: true, problem });
  const notExported = (problem: Problem): Exported => ({ name: '', text: '', problem });
  return {
    gallery: () => ask('gallery', [], noGallery),
    begin: (runSpec) => ask('begin', [runSpec], notOpened),
    next: (handle, frames) => ask('next', [handle, frames], noMore),
    onward: (handle, most, shown) => ask('onward', [handle, most, shown], noMore),
    do: (handle, intervention) => ask('do', [handle, intervention], noMore),
    open: (text, name) => ask('open', [text, name], notOpened),
    openGolden: (name) => ask('openGolden', [name], notOpened),
    feed: (handle, line) => ask('feed', [handle, line], noMore),
    live: (nodes, changing) => ask('live', [nodes, changing], notOpened),
    trace: (handle) => ask('trace', [handle], notExported),
    testCase: (handle) => ask('testCase', [handle], notExported),
    sketch: (kind, name) => ask('sketch', [kind, name], (problem): Sketched => ({ rows: [], problem })),
    close: (handle) => { void ask('close', [handle], () => undefined); },
  };
}
