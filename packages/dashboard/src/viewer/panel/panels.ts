import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import type { ViewerContent } from '../viewer.ts';
import { bodiesSection } from './bodies.ts';
import { toggleButton } from './buttons.ts';
import { choiceRow } from './choices.ts';
import { jointsSection } from './joints.ts';
import { materialsSection } from './materials.ts';
import { measureTool } from './measure.ts';
import { playbackBar } from './playback.ts';
import { sectionTool } from './section.ts';
import { statisticsSection } from './statistics.ts';
import { stageToolbar, type ViewActions } from './toolbar.ts';

/** In pixels. In a narrower frame the panel would hide the model. */
const WIDE = 700;

/** What lies over the view of a model: the toolbar, a panel that folds, and what plays. */
export function modelPanels(content: ViewerContent, stage: Stage, actions: ViewActions): HTMLElement[] {
  const { joints, choices = [], playback, toggles = [], bodies } = content.controls ?? {};
  const shows = (what: 'grid' | 'axes' | 'wireframe', label: string) =>
    toggleButton(label, stage.isShown(what), (isOn) => stage.show(what, isOn));
  const measure = content.hasSurfaces ? measureTool(stage, content) : undefined;
  const parts = [
    ...choices.map(choiceRow),
    ...(toggles.length > 0
      ? [
          element(
            'div',
            { class: 'buttons' },
            ...toggles.map(({ label, isOn, set }) => toggleButton(label, isOn, set)),
          ),
        ]
      : []),
    element(
      'div',
      { class: 'buttons' },
      shows('grid', messages.grid),
      shows('axes', messages.axes),
      shows('wireframe', messages.wireframe),
      ...(measure ? [measure.button] : []),
    ),
    ...(content.hasSurfaces ? [sectionTool(stage)] : []),
    ...(joints && joints.list.length > 0 ? [jointsSection(joints)] : []),
    ...(bodies && bodies.list.length > 1 ? [bodiesSection(bodies)] : []),
    ...(content.hasSurfaces ? [materialsSection(stage.root)] : []),
    statisticsSection(content, stage),
  ];
  const isModel = joints !== undefined || playback !== undefined || toggles.length > 0;
  return [
    stageToolbar(stage, actions),
    ...(measure ? [measure.result] : []),
    ...foldingPanel(parts, isModel && innerWidth >= WIDE),
    ...(playback ? [playbackBar(playback)] : []),
  ];
}

function foldingPanel(parts: readonly HTMLElement[], isOpen: boolean): HTMLElement[] {
  const panel = element(
    'section',
    { class: 'panel', id: 'panel', 'aria-label': messages.controls, hidden: !isOpen },
    ...parts,
  );
  const fold = element(
    'button',
    { type: 'button', class: 'fold', 'aria-expanded': String(isOpen), 'aria-controls': 'panel' },
    messages.controls,
  );
  fold.addEventListener('click', () => {
    panel.hidden = !panel.hidden;
    fold.setAttribute('aria-expanded', String(!panel.hidden));
  });
  return [fold, panel];
}
