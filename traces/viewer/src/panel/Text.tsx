// A text of the specification, drawn.
import { Prose, RuleLink } from './Prose';
import { parse, type Block, type Span } from './markdown';

export function Text({ text }: { text: string }) {
  return <div class="panel-text">{parse(text).map((block, k) => <BlockOf key={k} block={block} />)}</div>;
}

function BlockOf({ block }: { block: Block }) {
  switch (block.kind) {
    case 'paragraph': return <p><Spans of={block.spans} /></p>;
    case 'heading': return <p><strong><Spans of={block.spans} /></strong></p>;
    case 'code': return <details class="panel-code"><summary>As code</summary><pre tabIndex={0}>{block.text}</pre></details>;
    case 'table': return (
      <div class="panel-wide" role="region" aria-label="Table of the rule" tabIndex={0}>
        <table>
          <thead><tr>{block.head.map((cell, k) => <th key={k} scope="col"><Spans of={cell} /></th>)}</tr></thead>
          <tbody>{block.rows.map((row, k) => <tr key={k}>{row.map((cell, c) => <td key={c}><Spans of={cell} /></td>)}</tr>)}</tbody>
        </table>
      </div>
    );
    default: {
      const items = block.items.map((item, k) => <li key={k}>{item.map((inner, i) => <BlockOf key={i} block={inner} />)}</li>);
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

// Links lead to other pages of the repository, which are not here: their words stay, and say where. Rules are here.
function Spans({ of }: { of: Span[] }) {
  return (
    <>
      {of.map((span, k) => {
        switch (span.kind) {
          case 'text': return <Prose key={k} text={span.text} />;
          case 'code': return <code key={k}>{span.text}</code>;
          case 'bold': return <strong key={k}><Spans of={span.spans} /></strong>;
          case 'italic': return <em key={k}><Spans of={span.spans} /></em>;
          default: {
            const rule = /^(?:README\.md)?#(r\d+)-/.exec(span.to)?.[1];
            return <span key={k} title={span.to}>{rule && span.spans.length === 1 && span.spans[0]!.kind === 'text' ? <RuleLink name={rule.toUpperCase()} /> : <Spans of={span.spans} />}</span>;
          }
        }
      })}
    </>
  );
}
