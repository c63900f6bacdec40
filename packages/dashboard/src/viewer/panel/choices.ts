import { element } from '../../element.ts';
import type { Choice } from '../choice.ts';

export function choiceRow(choice: Choice): HTMLElement {
  const select = element(
    'select',
    {},
    ...choice.options.map((option, index) => element('option', { value: index }, option)),
  );
  const show = () => {
    select.selectedIndex = choice.chosen;
  };
  show();
  choice.onChange(show);
  select.addEventListener('change', () => choice.choose(select.selectedIndex));
  return element('label', { class: 'choice' }, element('span', {}, choice.label), select);
}
