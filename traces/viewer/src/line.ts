// Things that take a while, and happen one after the other.

// line returns what does so: a thing begins when all before it are over.
export function line(): <T>(does: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (does) => {
    const next = last.then(does);
    last = next.catch(() => undefined);
    return next;
  };
}
