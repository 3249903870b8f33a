// The page of workbench compare -html: every question with its plots and numbers, and every scenario. What it shows was put into it.
import { render } from 'preact';
import '../palette.css';
import { keepTheme } from '../theme';
import './compare.css';
import { Commands } from './Command';
import { Plot } from './Plot';
import { Story } from './Story';
import type { Algorithm, Comparison, Question } from './types';
import { table } from './values';

function Numbers({ question }: { question: Question }) {
  const { head, rows } = table(question);
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label={`Numbers: ${question.title}`}>
      <table class="numbers">
        <thead><tr>{head.map((name, i) => <th key={i} scope="col">{name}</th>)}</tr></thead>
        <tbody>{rows.map((cells) => (
          <tr key={`${cells[0]} ${cells[1]}`}>{cells.map((cell, i) => (i === 0 ? <th key={i} scope="row">{cell}</th> : <td key={i}>{cell}</td>))}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function Asked({ question: q, algorithms }: { question: Question; algorithms: Algorithm[] }) {
  return (
    <section id={q.id} aria-labelledby={`${q.id}-title`}>
      <h2 id={`${q.id}-title`}>{q.title}</h2>
      <p class="asks">{q.asks}</p>
      <p>{q.how}</p>
      <div class="plots">{q.axes.map((_, m) => <Plot key={m} question={q} measure={m} algorithms={algorithms} />)}</div>
      <Numbers question={q} />
      <p class="soft">The same again:</p>
      <Commands lines={[q.command]} />
    </section>
  );
}

function Page({ title, intro, algorithms, questions, scenarios }: Comparison) {
  return (
    <>
      <header><h1>{title}</h1>{intro.map((text) => <p key={text}>{text}</p>)}</header>
      <nav id="contents" aria-label="Contents">
        <h2>Contents</h2>
        <ul>
          {questions.map((q) => <li key={q.id}><a href={`#${q.id}`}>{q.title}</a></li>)}
          <li><a href="#scenarios">What goes wrong, and what is done about it</a>
            <ul class="sub">{scenarios.map((s) => <li key={s.name}><a href={`#${s.name}`}>{s.title}</a></li>)}</ul></li>
        </ul>
      </nav>
      <main>
        <section id="algorithms" aria-labelledby="algorithms-title">
          <h2 id="algorithms-title">The algorithms</h2>
          <dl class="who">{algorithms.map((a) => <div key={a.name}><dt>{a.name}</dt><dd>{a.title}</dd></div>)}</dl>
        </section>
        {questions.map((q) => <Asked key={q.id} question={q} algorithms={algorithms} />)}
        <section id="scenarios" aria-labelledby="scenarios-title">
          <h2 id="scenarios-title">What goes wrong, and what is done about it</h2>
          <p>Each scenario on the algorithm that it is about, and on ours.</p>
          {scenarios.map((s) => <Story key={s.name} scenario={s} />)}
          <p><a href="#contents">To the contents</a></p>
        </section>
      </main>
    </>
  );
}

keepTheme();
const answers = JSON.parse(document.getElementById('answers')!.textContent!) as Comparison;
document.title = answers.title;
render(<Page {...answers} />, document.getElementById('page')!);
if (location.hash.length > 1) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
