// A small part of Markdown, as the rules of the specification are written in: paragraphs, lists, tables, code; within them bold,
// italics, code and links. What is read becomes a tree, and never HTML, so that no text can be more than text.

export type Span =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'bold' | 'italic'; spans: Span[] }
  | { kind: 'link'; to: string; spans: Span[] };

export type Block =
  | { kind: 'paragraph'; spans: Span[] }
  | { kind: 'heading'; spans: Span[] }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'list'; ordered: boolean; items: Block[][] }
  | { kind: 'table'; head: Span[][]; rows: Span[][][] };

const bullet = /^( {0,3})([-*]|\d{1,3}[.)])( +)/;
const deepest = 8; // lists within lists: what is deeper is text

// parse returns the blocks of a text. Every text is one: what it does not know it leaves as it is.
export function parse(text: string, depth = 0): Block[] {
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n');
  const out: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (line.trim() === '') at++;
    else if (/^ *```/.test(line)) at = code(lines, at, out);
    else if (/^#{1,6} /.test(line)) { out.push({ kind: 'heading', spans: spans(line.replace(/^#+ +/, '')) }); at++; }
    else if (line.trimStart().startsWith('|') && /^[ |:-]+$/.test(lines[at + 1] ?? '')) at = table(lines, at, out);
    else if (bullet.test(line) && depth < deepest) at = list(lines, at, out, depth);
    else at = paragraph(lines, at, out);
  }
  return out;
}

function code(lines: string[], at: number, out: Block[]): number {
  const language = lines[at]!.trim().slice(3).trim();
  let end = at + 1;
  while (end < lines.length && !/^ *``` *$/.test(lines[end]!)) end++;
  out.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n'), language });
  return end + 1;
}

function table(lines: string[], at: number, out: Block[]): number {
  const cells = (line: string) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => spans(cell.trim()));
  const rows: Span[][][] = [];
  let end = at + 2;
  for (; end < lines.length && lines[end]!.trimStart().startsWith('|'); end++) rows.push(cells(lines[end]!));
  out.push({ kind: 'table', head: cells(lines[at]!), rows });
  return end;
}

// list reads items: what is indented below an item is part of it, and so is a line that goes on without a blank one between.
function list(lines: string[], at: number, out: Block[], depth: number): number {
  const ordered = /^ *\d/.test(lines[at]!);
  const items: Block[][] = [];
  while (at < lines.length) {
    const mark = bullet.exec(lines[at]!);
    if (!mark || /^ *\d/.test(lines[at]!) !== ordered) break;
    const inner = mark[0].length;
    const item = [lines[at]!.slice(inner)];
    for (at++; at < lines.length; at++) {
      const line = lines[at]!;
      const indented = line.startsWith(' '.repeat(Math.min(inner, 2)));
      if (line.trim() === '' ? !/^ {2,}\S/.test(lines[at + 1] ?? '') : !indented && (bullet.test(line) || starts(line) || lines[at - 1]!.trim() === '')) break;
      item.push(indented ? line.replace(new RegExp(`^ {1,${inner}}`), '') : line.trimStart());
    }
    items.push(parse(item.join('\n'), depth + 1));
  }
  out.push({ kind: 'list', ordered, items });
  return at;
}

// starts reports whether a line begins another block.
function starts(line: string): boolean { return /^ *```|^#{1,6} |^ *\|/.test(line); }

function paragraph(lines: string[], at: number, out: Block[]): number {
  let end = at + 1;
  while (end < lines.length && lines[end]!.trim() !== '' && !starts(lines[end]!) && !bullet.test(lines[end]!)) end++;
  out.push({ kind: 'paragraph', spans: spans(lines.slice(at, end).map((line) => line.trim()).join(' ')) });
  return end;
}

const inline = /`([^`]+)`|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)/;

// spans returns the parts of a line.
export function spans(text: string): Span[] {
  const out: Span[] = [];
  for (let rest = text; rest !== '';) {
    const found = inline.exec(rest);
    const before = found ? rest.slice(0, found.index) : rest;
    if (before) out.push({ kind: 'text', text: before });
    if (!found) break;
    const [whole, code, bold, italic, link, to] = found;
    if (code !== undefined) out.push({ kind: 'code', text: code });
    else if (bold !== undefined) out.push({ kind: 'bold', spans: spans(bold) });
    else if (italic !== undefined) out.push({ kind: 'italic', spans: spans(italic) });
    else out.push({ kind: 'link', to: to!, spans: spans(link!) });
    rest = rest.slice(found.index + whole.length);
  }
  return out;
}

// anchor returns the name under which a heading is found on a page.
export function anchor(heading: string): string {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').trim().replaceAll(' ', '-');
}
