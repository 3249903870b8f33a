// A sentence in which the words of the protocol say what they mean, each where it comes first.
import { Prose } from '../panel/Prose';
import { isMessage } from '../words';
import { Term } from './Term';

const known = new Set(['lease', 'epoch', 'quorum', 'reign', 'support']);

// Worded is a text with its words. Messages says that only types of messages are explained: a heading has few words.
export function Worded({ text, messages = false }: { text: string; messages?: boolean }) {
  const seen = new Set<string>();
  return (
    <>
      {text.split(/(\b[A-Z][A-Z_]+\b|\b(?:lease|epoch|quorum|reign|support)\b)/).map((part, k) => {
        const word = k % 2 === 1 && !seen.has(part) && (isMessage(part) || (known.has(part) && !messages));
        if (!word) return <Prose key={k} text={part} />;
        seen.add(part);
        return <Term key={`${k} ${part}`} word={part}>{part}</Term>;
      })}
    </>
  );
}
