// Text in which each number of a rule leads to the rule: the page has it, and opens it.
import { signal } from '@preact/signals';
import { Dialog } from '../menu/Dialog';
import { gallery } from '../store';
import { Text } from './Text';

// rule is the name of the rule that is open to be read, or ''.
const rule = signal('');

export function Prose({ text }: { text: string }) {
  const parts = text.split(/\b(R[1-9]\d?)\b/);
  return <>{parts.map((part, k) => (k % 2 === 1 ? <RuleLink key={k} name={part} /> : part))}</>;
}

export function RuleLink({ name }: { name: string }) {
  const found = gallery.value?.rules.find((r) => r.name === name);
  if (!found) return <>{name}</>;
  return <button type="button" class="rule-link" title={found.title} aria-haspopup="dialog" onClick={() => { rule.value = name; }}>{name}</button>;
}

// RuleDialog is the rule that is open.
export function RuleDialog() {
  const found = gallery.value?.rules.find((r) => r.name === rule.value);
  if (!found) return null;
  return (
    <Dialog key={found.name} title={`${found.name}: ${found.title}`} shut={() => { rule.value = ''; }}>
      {found.says && <p><strong><Prose text={found.says} /></strong></p>}
      <div class="panel"><Text text={found.text} /></div>
    </Dialog>
  );
}
