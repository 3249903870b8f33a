// What scrolls says that there is more below: where scroll bars hide until they are used, nothing else would.
import { useEffect, useRef } from 'preact/hooks';

// useMore returns a reference for an element that scrolls: it has data-more as long as there is more of it below (help.css).
export function useMore<T extends HTMLElement>() {
  const list = useRef<T>(null);
  useEffect(() => {
    const of = list.current;
    if (!of) return;
    const look = (): void => { of.toggleAttribute('data-more', of.scrollHeight - of.scrollTop - of.clientHeight > 4); };
    const room = new ResizeObserver(look);
    room.observe(of);
    of.addEventListener('scroll', look);
    return () => {
      room.disconnect();
      of.removeEventListener('scroll', look);
    };
  }, []);
  return list;
}
