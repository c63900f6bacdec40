import { element } from '../../element.ts';
import { formatLength, formatMass, formatSize } from '../../format-quantities.ts';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import type { ViewerContent } from '../viewer.ts';

/** Statistics of what is shown, with the size of a cell of the grid. */
export function statisticsSection(content: ViewerContent, stage: Stage): HTMLElement {
  const list = element('dl');
  const show = () => {
    const { statistics } = content;
    const texts = statisticTexts(statistics).map(([name, text]) => [messages.statistic[name], text] as const);
    const grid = [messages.grid, lengthOf(stage.gridStep, content)] as const;
    list.replaceChildren(
      ...[...texts, grid].map(([name, text]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, text)),
      ),
    );
  };
  show();
  for (const choice of content.controls?.choices ?? []) choice.onChange(show);
  return element('details', { class: 'statistics' }, element('summary', {}, messages.statistics), list);
}

/** Sentences about the parts that are not shown. */
export function omittedNotes(omitted: readonly string[]): HTMLElement {
  const notes = element('ul', {}, ...omitted.map((sentence) => element('li', {}, sentence)));
  return element(
    'details',
    { class: 'omitted', open: true },
    element('summary', {}, messages.omitted),
    notes,
  );
}

function statisticTexts(statistics: ViewerStatistics): [keyof typeof messages.statistic, string][] {
  const { mass, pixels, size, unit, up } = statistics;
  const texts = {
    ...Object.fromEntries(COUNTS.map((name) => [name, statistics[name]?.toLocaleString('en')])),
    mass: mass === undefined ? mass : formatMass(mass),
    pixels: pixels?.join(' × '),
    size: size && formatSize(size, unit),
    up: up?.toUpperCase(),
  };
  return Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [[name as keyof typeof messages.statistic, text]],
  );
}

const COUNTS = [
  'triangles',
  'vertices',
  'points',
  'splats',
  'bodies',
  'joints',
  'degreesOfFreedom',
  'animations',
] as const;

/** Formats a length on the stage, in metres if it is known how long they are there. */
export function lengthOf(length: number, { metres }: Pick<ViewerContent, 'metres'>): string {
  return metres === undefined ? formatLength(length, undefined) : formatLength(length * metres, 'm');
}
