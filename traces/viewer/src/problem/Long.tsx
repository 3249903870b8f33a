// What the checker says of a step that the rules do not allow: in the first line which rule, in the others what it would have
// expected. People read the first, and whoever wants to know opens the rest.
import { Prose } from '../panel/Prose';

export function Long({ text }: { text: string }) {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0) return <Prose text={first} />;
  const last = /^ {2}\S.*\.$/.test(rest.at(-1) ?? '') ? rest.pop()!.trim() : ''; // the rule, in a sentence
  return (
    <>
      <Prose text={`${first}${/[.:!?]$/.test(first) ? '' : '.'} ${last}`} />
      {rest.length > 0 && <details class="problem-more"><summary>What was expected</summary><pre tabIndex={0}>{rest.join('\n')}</pre></details>}
    </>
  );
}
