import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import { actionButton } from './buttons.ts';

/** Shows why an asset cannot be shown, and what the user can do. */
export function refusalPanel(reason: string, showFiles: () => void, loadAnyway?: () => void): HTMLElement {
  const buttons = element('div', { class: 'buttons' });
  if (loadAnyway !== undefined) buttons.append(actionButton(messages.loadAnyway, loadAnyway));
  buttons.append(actionButton(messages.showFiles, showFiles));
  return element(
    'div',
    { class: 'refusal', role: 'alert' },
    element('h1', {}, messages.cannotShow),
    element('p', {}, reason),
    buttons,
  );
}
