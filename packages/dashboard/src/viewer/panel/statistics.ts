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

type Statistic = keyof typeof messages.statistic;

export function statisticTexts(statistics: ViewerStatistics): [Statistic, string][] {
  const counts = (
    [
      'triangles',
      'vertices',
      'points',
      'splats',
      'bodies',
      'joints',
      'degreesOfFreedom',
      'animations',
    ] as const
  ).flatMap((name): [Statistic, string][] => {
    const count = statistics[name];
    return count === undefined ? [] : [[name, count.toLocaleString('en')]];
  });
  const { mass, pixels, size, unit, up } = statistics;
  return [
    ...counts,
    ...(mass === undefined ? [] : [['mass', formatMass(mass)] as [Statistic, string]]),
    ...(pixels === undefined ? [] : [['pixels', `${pixels[0]} × ${pixels[1]}`] as [Statistic, string]]),
    ...(size === undefined ? [] : [['size', formatSize(size, unit)] as [Statistic, string]]),
    ...(up === undefined ? [] : [['up', up.toUpperCase()] as [Statistic, string]]),
  ];
}

/** Formats a length on the stage, in metres if it is known how long they are there. */
export function lengthOf(length: number, { metres }: Pick<ViewerContent, 'metres'>): string {
  return metres === undefined ? formatLength(length, undefined) : formatLength(length * metres, 'm');
}
