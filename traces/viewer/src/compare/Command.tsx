// Commands that people type: a line each. A line that is too long goes on in the next, but no word is torn at a hyphen.
export function Commands({ lines }: { lines: string[] }) {
  return (
    <pre><code>{lines.map((line, i) => <>{i > 0 && '\n'}{line.split(' ').map((word, k) => <>{k > 0 && ' '}<span>{word}</span></>)}</>)}</code></pre>
  );
}
