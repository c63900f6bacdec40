import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import { actionButton } from './buttons.ts';

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
