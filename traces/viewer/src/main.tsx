// The page: its parts, and where they are.
import { render } from 'preact';
import { begin, keepTitle } from './begin';
import { Diagram } from './diagram/Diagram';
import { Embed } from './embed/Embed';
import { embedded } from './embed/embedded';
import { GalleryDialog } from './gallery/Gallery';
import { HelpDialog } from './help/Help';
import { hint } from './hint/acts';
import { Hint } from './hint/Hint';
import { Indicators } from './indicators/Indicators';
import { List } from './list/List';
import { Branches } from './menu/Branches';
import { dialog, type Which } from './menu/which';
import { ExportDialog } from './menu/Export';
import { LiveBar } from './live/LiveBar';
import { live } from './live/members';
import { Menu } from './menu/Menu';
import { DropZone, OpenDialog, Opening } from './open/Open';
import { source } from './open/opening';
import './palette.css';
import './page.css';
import { pair } from './pair/pair';
import { Verdict } from './pair/Verdict';
import { Panel } from './panel/Panel';
import { ProblemBanner } from './problem/Problem';
import { Ring } from './ring/Ring';
import { SetupDialog } from './setup/Setup';
import { ShareDialog } from './share/Share';
import { recording, said } from './store';
import { keepTheme } from './theme';
import { Card } from './tours/Card';
import { keepGuiding, on } from './tours/guide';
import { Offer, ToursDialog } from './tours/Tours';
import { keepKeys } from './transport/keys';
import { keepPlaying } from './transport/player';
import { Transport } from './transport/Transport';
import { capital } from './words';

const dialogs: Record<Which, () => preact.JSX.Element | null> = {
  setup: SetupDialog, tours: ToursDialog, gallery: GalleryDialog, open: OpenDialog, share: ShareDialog, export: ExportDialog, help: HelpDialog,
};

function Heading() {
  const header = recording.value?.header;
  if (!header) return null;
  return (
    <div class="heading">
      <h2>{on.value ? `Tour: ${on.value.tour.title}` : source.value?.recording === recording.value && source.value.linked.what === 'file' ? header.title : capital(header.title)}</h2>
      {pair.value && <Verdict />}
      {on.value ? <Card /> : hint.value ? <Hint /> : header.watch && <p>{header.watch}</p>}
    </div>
  );
}

function Page() {
  const Open = dialog.value && dialogs[dialog.value];
  const has = recording.value !== null;
  return (
    <>
      <Menu />
      <ProblemBanner />
      <Opening />
      <LiveBar />
      <main class="panes" data-pair={pair.value ? '' : undefined}>
        <div class="pane-head"><Offer /><Heading /><Branches /></div>
        <section class="pane-ring" aria-label="The nodes">{has ? <><Ring /><Indicators /></> : <p class="blank">One moment: {live.value ? 'the page asks the nodes what they do.' : 'the nodes are about to start.'}</p>}</section>
        <section class="pane-diagram" aria-label="Space and time">{has && <Diagram />}</section>
        <section class="pane-panel" aria-label="What has happened">{has && <Panel />}</section>
        <section class="pane-list" aria-label="Every step">{has && <List />}</section>
      </main>
      <Transport />
      <p class="unseen" aria-live="polite">{said}</p>
      {Open && <Open key={dialog.value!} />}
      <DropZone />
    </>
  );
}

keepTheme();
keepTitle();
keepKeys();
keepPlaying();
keepGuiding();
const root = document.getElementById('page')!;
if (embedded) root.replaceChildren(); // the bar that is painted first is no part of it
render(embedded ? <Embed /> : <Page />, root);
// The engine comes after the whole page has been read and painted once.
addEventListener('DOMContentLoaded', () => requestAnimationFrame(() => setTimeout(() => void begin())));
