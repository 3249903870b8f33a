// Whether the page stands within another page: then it is the picture, a button, a line and a link, and nothing can be done to a run.

// asks reports whether an address asks for that: ?embed, or embed among the parts behind the #.
export function asks(search: string, hash: string): boolean {
  return new URLSearchParams(search).has('embed') || parts(hash).includes('embed');
}

export const embedded = typeof location !== 'undefined' && asks(location.search, location.hash);

// bare returns what comes after the # without what asks for embedding.
export function bare(hash: string): string {
  return parts(hash).filter((part) => part !== 'embed').join('&');
}

// wholePage returns the address of the page that an embedded one is a part of.
export function wholePage(href: string): string {
  const to = new URL(href);
  to.searchParams.delete('embed');
  to.hash = bare(to.hash);
  return to.href;
}

function parts(hash: string): string[] { return hash.replace(/^#/, '').split('&').filter(Boolean); }
