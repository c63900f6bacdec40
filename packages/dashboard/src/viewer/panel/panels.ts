import { element } from '../../element.ts';
import { formatMass } from '../../format-quantities.ts';
import type { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import type { Bodies, Toggle, ViewerContent } from '../viewer.ts';
import { selectOf, toggleButton } from './buttons.ts';
import { jointsSection } from './joints.ts';
import { materialsSection } from './materials.ts';
import { measureTool } from './measure.ts';
import { playbackBar } from './playback.ts';
import { sectionTool } from './section.ts';
import { statisticsSection } from './statistics.ts';
import { stageToolbar, type ViewActions } from './toolbar.ts';

/** In pixels. In a narrower frame the panel would hide the model. */
const WIDE = 700;
/** The width of the panel with its margin. */
const PANEL = 280;

/** What lies over the view of a model: the toolbar, a panel that folds, and what plays. */
export function modelPanels(content: ViewerContent, stage: Stage, actions: ViewActions): HTMLElement[] {
  const { joints, choices = [], playback, toggles = [], bodies, hold, incline } = content.controls ?? {};
  const shows = (what: 'grid' | 'axes' | 'wireframe', label: string) =>
    toggleButton(label, stage.isShown(what), (isOn) => stage.show(what, isOn));
  const measure = content.hasSurfaces ? measureTool(stage, content) : undefined;
  const parts = [
    ...choices.map(choiceRow),
    ...(toggles.length > 0 ? [element('div', { class: 'buttons' }, ...toggles.map(pressedByModel))] : []),
    ...(incline ? [slopeRow(incline)] : []),
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
    stageToolbar(stage, actions, hold),
    ...(measure ? [measure.result] : []),
    ...foldingPanel(parts, stage, isModel && actions.offers.controls && innerWidth >= WIDE),
    ...(playback ? [playbackBar(playback)] : []),
  ];
}

/** The button of what the model itself may turn on, too. */
function pressedByModel(toggle: Toggle): HTMLElement {
  const button = toggleButton(toggle.label, toggle.isOn, toggle.set);
  toggle.press = (isOn) => {
    if ((button.getAttribute('aria-pressed') === 'true') !== isOn) button.click();
  };
  return button;
}

function foldingPanel(parts: readonly HTMLElement[], stage: Stage, isOpen: boolean): HTMLElement[] {
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
  const reserve = () => stage.reserve(panel.hidden || innerWidth < WIDE ? 0 : PANEL);
  fold.addEventListener('click', () => {
    panel.hidden = !panel.hidden;
    fold.setAttribute('aria-expanded', String(!panel.hidden));
    reserve();
  });
  reserve();
  return [fold, panel];
}

/** Inclines the ground by up to half a right angle. */
function slopeRow(incline: (angle: number) => void): HTMLElement {
  const slider = element('input', { type: 'range', min: -45, max: 45, value: 0 });
  const output = element('output');
  const show = () => {
    output.textContent = messages.angle(slider.valueAsNumber);
    slider.setAttribute('aria-valuetext', messages.inclined(slider.valueAsNumber));
  };
  show();
  slider.addEventListener('input', () => {
    incline(slider.valueAsNumber);
    show();
  });
  return element('label', { class: 'choice' }, element('span', {}, messages.slope), slider, output);
}

/** The bodies as a tree. The one that is chosen is marked in the view. */
export function bodiesSection({ list, mark }: Bodies): HTMLElement {
  const select = element(
    'select',
    { size: Math.min(list.length + 1, 8), 'aria-label': messages.bodies(list.length) },
    element('option', { value: -1, selected: true }, messages.none),
    ...list.map(({ name, depth, mass }, index) => {
      const weight = mass === undefined || mass === 0 ? '' : ` (${formatMass(mass)})`;
      return element('option', { value: index }, `${'\u00a0\u00a0'.repeat(depth)}${name}${weight}`);
    }),
  );
  select.addEventListener('change', () => mark(Number(select.value)));
  return element('details', {}, element('summary', {}, messages.bodies(list.length)), select);
}

export function choiceRow(choice: Choice): HTMLElement {
  const select = selectOf(choice.options);
  const show = () => {
    select.selectedIndex = choice.chosen;
  };
  show();
  choice.onChange(show);
  select.addEventListener('change', () => choice.choose(select.selectedIndex));
  return element('label', { class: 'choice' }, element('span', {}, choice.label), select);
}
