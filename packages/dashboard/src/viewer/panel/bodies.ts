import { element } from '../../element.ts';
import { formatMass } from '../../format-quantities.ts';
import { messages } from '../messages.ts';
import type { Bodies } from '../viewer.ts';

/** The bodies as a tree. The one that is chosen is marked in the view. */
export function bodiesSection({ list, mark }: Bodies): HTMLElement {
  const select = element(
    'select',
    { class: 'bodies', size: Math.min(list.length + 1, 8), 'aria-label': messages.bodies(list.length) },
    element('option', { value: -1, selected: true }, messages.none),
    ...list.map(({ name, depth, mass }, index) => {
      const weight = mass === undefined || mass === 0 ? '' : ` (${formatMass(mass)})`;
      return element('option', { value: index }, `${'\u00a0\u00a0'.repeat(depth)}${name}${weight}`);
    }),
  );
  select.addEventListener('change', () => mark(Number(select.value)));
  return element('details', {}, element('summary', {}, messages.bodies(list.length)), select);
}
