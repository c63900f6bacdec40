import { element } from '../../element.ts';
import { formatLength, formatMass, formatSize } from '../../format-quantities.ts';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import { messages } from '../messages.ts';

/** Statistics of what is shown, and sentences about what is not. */
export function statisticsPanel(
  statistics: ViewerStatistics,
  omitted: readonly string[],
  gridStep: number | undefined,
): HTMLElement {
  const list = element('dl');
  for (const [name, text] of statisticTexts(statistics)) {
    list.append(element('div', {}, element('dt', {}, messages.statistic[name]), element('dd', {}, text)));
  }
  const panel = element(
    'details',
    { class: 'statistics' },
    element('summary', {}, messages.statistics),
    list,
  );
  if (gridStep !== undefined)
    list.append(
      element(
        'div',
        {},
        element('dt', {}, messages.grid),
        element('dd', {}, formatLength(gridStep, statistics.unit)),
      ),
    );
  if (omitted.length === 0) return panel;
  panel.open = true;
  const notes = element('ul', {}, ...omitted.map((sentence) => element('li', {}, sentence)));
  panel.append(element('p', { class: 'omitted' }, messages.omitted), notes);
  return panel;
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
