// The panel: what has just happened and why, or what people have chosen to look at.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { recording as shownRecording, scene as shownScene, selection } from '../store';
import { announce } from './announce';
import { Flights } from './Flights';
import { Happened } from './Happened';
import { RuleDialog } from './Prose';
import { MessageView, NodeView } from './Selected';
import './panel.css';

export function Panel() {
  useEffect(() => announce(), []);
  const recording = shownRecording.value;
  const scene = shownScene.value;
  const chosen = selection.value;
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => { // what is new begins at its beginning
    for (const box of [panel.current, panel.current?.parentElement]) if (box) box.scrollTop = 0;
  }, [scene?.count, chosen]);
  if (!recording || !scene) return <div class="panel" />;
  return (
    <div class="panel" ref={panel}>
      {chosen === null ? <Happened recording={recording} scene={scene} />
        : 'node' in chosen ? <NodeView recording={recording} scene={scene} node={chosen.node} />
          : <MessageView recording={recording} scene={scene} number={chosen.message} />}
      <Flights recording={recording} scene={scene} />
      <RuleDialog />
    </div>
  );
}
