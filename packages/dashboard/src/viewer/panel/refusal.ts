import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import { actionButton } from './buttons.ts';

/** Why an asset cannot be shown, without the names of the layers that say so and the folder that they read from. */
export function plainReason(reason: string): string {
  const file = reason.split("Error opening file '")[1]?.split("'")[0];
  if (file !== undefined) return messages.missingFile(file.replace('/asset/', ''));
  const said = ['MuJoCo Error: ', 'Loading error: ', 'Error: '].reduce(
    (left, layer) => (left.startsWith(layer) ? left.slice(layer.length) : left),
    reason,
  );
  return said.endsWith('is not valid JSON') ? messages.damagedFile(said) : said;
}

/** Shows why an asset cannot be shown, and what the user can do. */
export function refusalPanel(
  reason: string,
  showFiles: () => void,
  again?: { readonly label: string; readonly run: () => void },
): HTMLElement {
  const buttons = element('div', { class: 'buttons' });
  if (again !== undefined) buttons.append(actionButton(again.label, again.run));
  buttons.append(actionButton(messages.showFiles, showFiles));
  return element(
    'div',
    { class: 'refusal', role: 'alert' },
    element('h1', {}, messages.cannotShow),
    element('p', {}, reason),
    buttons,
  );
}
