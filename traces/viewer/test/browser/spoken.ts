// What a screen reader has of a page: not what the page says of itself, but the tree that the browser gives to assistive technology, in the order of
// reading. Each browser has its own tree, with its own names for roles; here both become the same lines.
import type { Page } from 'playwright-core';
import { bidi } from './bidi';
import { current } from './browsers';
import { patience } from './browsers';

// Part is a part of the tree: its role as ARIA names it, or '' if it has none that is said; and what is said with it.
interface Part { role: string; name: string; text: string; states: string[]; live: string; says: string; parts: Part[] }

// alone are said in one line, with their name: what is within is their name.
const alone = new Set(['button', 'link', 'checkbox', 'radio', 'slider', 'textbox', 'searchbox', 'combobox', 'option', 'menuitem', 'image', 'heading', 'columnheader', 'rowheader', 'application']);
// round are said, and then what is within.
const round = new Set(['banner', 'main', 'navigation', 'region', 'complementary', 'contentinfo', 'search', 'group', 'list', 'status', 'alert', 'dialog', 'menu', 'table', 'tooltip', 'toolbar', 'listbox']);
// apart are not said, but end a text.
const apart = new Set(['paragraph', 'listitem', 'row', 'cell']);

const most = 3; // rows of a list

// plain writes a text as it is said: browsers differ in the spaces that they put between its parts.
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/ (?=[.,;:)])/g, '').replace(/\( /g, '(').trim();

// spoken returns what is said of the page, line by line.
export async function spoken(page: Page): Promise<string[]> {
  const tree = current === 'firefox' ? await ofFirefox(page) : await ofChromium(page);
  const lines: string[] = [];
  let text = '';
  const flush = (): void => {
    const said = plain(text);
    if (said !== '') lines.push(`“${said}”`);
    text = '';
  };
  const visit = (part: Part): void => {
    if (part.text !== '') { text += part.text; return; }
    const { role, name, states, live, says, parts } = part;
    const line = [role, name && `“${plain(name)}”`, ...states, live && `live: ${live}`, says && plain(says) !== plain(name) && `(${plain(says)})`].filter(Boolean).join(' ');
    if (alone.has(role)) {
      flush();
      lines.push(line);
      return;
    }
    if (role === '') text += ' ';
    const said = (round.has(role) && (name !== '' || live !== '' || !['group', 'region'].includes(role))) || live !== '';
    if (said || apart.has(role)) flush();
    if (said) lines.push(role === '' ? `live: ${live}` : line);
    for (const inner of parts) visit(inner);
    if (role === '') text += ' ';
    if (said || apart.has(role)) flush();
  };
  visit(tree);
  flush();
  return lines.filter((line, k) => !line.startsWith('option') || !lines.slice(k - most, k).every((before) => before.startsWith('option'))); // how many rows of a list there are depends on its height
}

// --- Chromium ---

interface Value { value?: unknown }
interface AXNode { nodeId: string; ignored: boolean; role?: Value; name?: Value; description?: Value; value?: Value; properties?: { name: string; value: Value }[]; childIds?: string[]; parentId?: string }

const chromiumRoles: Record<string, string> = {
  RootWebArea: 'document', LabelText: '', generic: '', none: '', StaticText: 'text', InlineTextBox: 'ignored', paragraph: 'paragraph', img: 'image', DescriptionList: 'list', Details: 'group', DisclosureTriangle: 'button',
  Section: '', LineBreak: 'break', Canvas: 'image', SvgRoot: 'group', gridcell: 'cell', LayoutTable: '', ListMarker: 'ignored',
};

async function ofChromium(page: Page): Promise<Part> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree') as unknown as { nodes: AXNode[] };
  await session.detach();
  const known = new Map(nodes.map((node) => [node.nodeId, node]));
  const of = (node: AXNode): Part => {
    const parts = (node.childIds ?? []).flatMap((id) => { const child = known.get(id); return child ? [of(child)] : []; });
    const blank: Part = { role: '', name: '', text: '', states: [], live: '', says: '', parts };
    if (node.ignored) return blank;
    const said = String(node.role?.value ?? '');
    const role = chromiumRoles[said] ?? said;
    if (role === 'ignored') return { ...blank, parts: [] };
    if (role === 'text') return { ...blank, text: String(node.name?.value ?? ''), parts: [] };
    if (role === 'break') return { ...blank, text: ' ', parts: [] };
    const has = (name: string): unknown => node.properties?.find((property) => property.name === name)?.value.value;
    const live = String(has('live') ?? '');
    return { role, name: String(node.name?.value ?? ''), text: '', states: states(role, has, String(node.value?.value ?? '')), live: live === 'off' ? '' : live, says: String(node.description?.value ?? ''), parts };
  };
  return of(nodes.find((node) => node.parentId === undefined)!);
}

function states(role: string, has: (name: string) => unknown, value: string): string[] {
  return [
    role === 'heading' ? `${String(has('level'))}` : '', has('disabled') === true ? 'disabled' : '', has('pressed') === 'true' ? 'pressed' : has('pressed') === 'false' ? 'not pressed' : '',
    has('checked') === 'true' ? 'checked' : has('checked') === 'false' ? 'not checked' : '', has('expanded') === true ? 'expanded' : has('expanded') === false ? 'collapsed' : '',
    has('hasPopup') && has('hasPopup') !== 'false' ? `has ${String(has('hasPopup'))}` : '', ['combobox', 'textbox', 'searchbox'].includes(role) && value ? `= ${value}` : '', // of a slider Chromium tells the number only
  ].filter(Boolean);
}

// --- Firefox ---

interface Told { role: string; name: string; value: string; says: string; states: string[]; attributes: Record<string, string>; parts: Told[] }

// asked runs in the browser itself, which has the tree of each of its pages as it gives it to assistive technology.
function asked(url: string): string {
  interface Accessible { role: number; name: string | null; value: string; description: string; childCount: number; attributes: { enumerate(): Iterable<{ key: string; value: string }> } | null; getChildAt(i: number): Accessible; getState(state: object, extra: object): void; firstChild: Accessible | null }
  interface Words { length: number; item(i: number): string }
  interface Service { getAccessibleFor(node: unknown): Accessible | null; getStringRole(role: number): string; getStringStates(state: number, extra: number): Words }
  const { Cc, Ci, Services } = globalThis as unknown as { Cc: Record<string, { getService(of: unknown): Service }>; Ci: Record<string, unknown>; Services: { wm: { getEnumerator(kind: string): Iterable<{ gBrowser: { browsers: { currentURI: { spec: string } }[] } }> } } };
  const service = Cc['@mozilla.org/accessibilityService;1']!.getService(Ci['nsIAccessibilityService']);
  const shown = [...Services.wm.getEnumerator('navigator:browser')].flatMap((window) => [...window.gBrowser.browsers]).filter((one) => one.currentURI.spec === url);
  if (shown.length !== 1) return JSON.stringify(`${shown.length} pages are at ${url}`);
  const tell = (of: Accessible): unknown => {
    const [state, extra] = [{ value: 0 }, { value: 0 }];
    of.getState(state, extra);
    const words = service.getStringStates(state.value, extra.value);
    const attributes: Record<string, string> = {};
    for (const { key, value } of of.attributes?.enumerate() ?? []) attributes[key] = value;
    return {
      role: service.getStringRole(of.role), name: of.name ?? '', value: of.value, says: of.description, states: Array.from({ length: words.length }, (_, i) => words.item(i)), attributes,
      parts: Array.from({ length: of.childCount }, (_, i) => tell(of.getChildAt(i))),
    };
  };
  const page = service.getAccessibleFor(shown[0])?.firstChild;
  return JSON.stringify(page ? tell(page) : '');
}

async function ofFirefox(page: Page): Promise<Part> {
  const { send } = bidi(page);
  const { contexts } = await send('browsingContext.getTree', { 'moz:scope': 'chrome', maxDepth: 0 }) as { contexts: { context: string }[] };
  for (const end = Date.now() + patience; ; await page.waitForTimeout(100)) { // the tree is made once somebody asks for it
    const answer = await send('script.evaluate', {
      expression: `{ const __name = (f) => f; (${asked.toString()})(${JSON.stringify(page.url())}) }`, target: { context: contexts[0]!.context }, awaitPromise: false,
    }) as { result?: { value: string }; exceptionDetails?: { text: string } };
    if (!answer.result) throw new Error(`Firefox does not tell its tree: ${answer.exceptionDetails?.text}`);
    const told = JSON.parse(answer.result.value) as Told | string;
    if (typeof told !== 'string') return part(told);
    if (told !== '' || Date.now() > end) throw new Error(`Firefox does not tell its tree: ${told || 'it has none'}`);
  }
}

const firefoxRoles: Record<string, string> = {
  document: 'document', pushbutton: 'button', 'toggle button': 'button', buttonmenu: 'button', 'check button': 'checkbox', checkbutton: 'checkbox', 'radio button': 'radio', radiobutton: 'radio', entry: 'textbox', 'password text': 'textbox', graphic: 'image',
  canvas: 'image', grouping: 'group', statictext: 'text', 'text leaf': 'text', whitespace: 'text', 'text container': '', section: '', landmark: '', region: 'region', 'statusbar': 'status', listitem: 'listitem', label: '', summary: 'button', details: 'group', diagram: 'group',
  'definition list': 'list', term: '', definition: '', 'list item marker': 'ignored', 'listitem marker': 'ignored', form: '', mark: '', emphasis: '', strong: '', code: '', 'content deletion': '', 'content insertion': '', 'combobox': 'combobox', 'tool tip': 'tooltip', tooltip: 'tooltip',
};

function part(told: Told): Part {
  const { attributes, parts } = told;
  const own = attributes['xml-roles']?.split(' ')[0];
  const role = own && (alone.has(own) || round.has(own)) ? own : firefoxRoles[told.role] ?? told.role;
  const blank: Part = { role, name: '', text: '', states: [], live: '', says: '', parts: [] };
  if (role === 'ignored') return { ...blank, role: '' };
  if (role === 'text') return parts.length > 0 ? { ...blank, role: '', parts: parts.map(part) } : { ...blank, role: '', text: told.name };
  const is = (state: string): boolean => told.states.includes(state);
  const pressable = is('checkable') || told.role === 'toggle button' || attributes['checkable'] === 'true';
  const has = (name: string): unknown => {
    switch (name) {
      case 'level': return attributes['level'];
      case 'disabled': return is('unavailable');
      case 'pressed': return role === 'button' && pressable ? String(is('pressed')) : undefined;
      case 'checked': return ['checkbox', 'radio'].includes(role) ? String(is('checked')) : undefined;
      case 'expanded': return is('expanded') ? true : is('collapsed') ? false : undefined;
      case 'hasPopup': return attributes['haspopup'] ?? (is('haspopup') ? 'menu' : undefined);
      default: return undefined;
    }
  };
  const live = attributes['live'] ?? '';
  return { ...blank, name: told.name, states: states(role, has, told.value), live: live === 'off' ? '' : live, says: told.says, parts: parts.map(part) };
}
