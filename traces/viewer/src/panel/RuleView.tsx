// The rule that a step follows from: what it says, where it stands, and what TLA+ calls it.
import { signal } from '@preact/signals';
import { gallery } from '../store';
import type { Frame, Rule } from '../types';
import { anchor } from './markdown';
import { Text } from './Text';

// whole says that people want to read rules: that holds from one step to the next. In a low window it begins with the titles.
const whole = signal(typeof innerHeight === 'undefined' || innerHeight > 950);

export function RuleView({ frame }: { frame: Frame }) {
  const action = frame.action;
  const names = frame.rule?.split(/[,\s]+/).filter(Boolean) ?? [];
  if (names.length === 0 && !frame.action) return null;
  return (
    <section class="panel-part" aria-label="The rule">
      {names.map((name) => <One key={name} name={name} rule={gallery.value?.rules.find((rule) => rule.name === name)} action={action} />)}
      {names.length === 0 && <p class="panel-where"><Action action={action} /></p>}
    </section>
  );
}

function One({ name, rule, action }: { name: string; rule: Rule | undefined; action: string | undefined }) {
  if (!rule) return <p>By rule <strong>{name}</strong> <Action action={action} /></p>;
  return (
    <details class="panel-rule" open={whole.value} onToggle={(event) => { whole.value = event.currentTarget.open; }}>
      <summary>By rule <strong>{rule.name}</strong>: {rule.title}</summary>
      <Text text={rule.text} />
      <p class="panel-where">
        <span>In full: <Source file="spec/README.md" at={anchor(`${rule.name} ${rule.title}`)}>spec/README.md, {rule.name}</Source></span>
        {rule.operators.length > 0 && <span>TLA+: {rule.operators.map((operator, k) => <span key={operator}>{k > 0 && ', '}<Operator name={operator} /></span>)}</span>}
        <Action action={action} />
      </p>
    </details>
  );
}

// Action is the name of the step, and where TLA+ has it.
function Action({ action }: { action: string | undefined }) {
  return action ? <span>Action <Operator name={action} /></span> : null;
}

function Operator({ name }: { name: string }) {
  const where = gallery.value?.actions[name];
  return <><code>{name}</code>{where && <> (<Source file={`tla/${where.split(':')[0]}`}>tla/{where}</Source>)</>}</>;
}

// Source names a file of the repository. It is a link where the page lies in the repository, as then the file is there.
function Source({ file, at, children }: { file: string; at?: string; children: preact.ComponentChildren }) {
  const { protocol, pathname } = location;
  const place = pathname.lastIndexOf('/traces/viewer/');
  if (protocol !== 'file:' || place < 0) return <code>{children}</code>;
  return <a href={`${pathname.slice(0, place)}/${file}${at ? `#${at}` : ''}`} target="_blank" rel="noreferrer">{children}</a>;
}
