import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import { actionButton, toggleButton } from './buttons.ts';

/** The buttons that every 3D view has. */
export function stageToolbar(stage: Stage, savePicture: () => void): HTMLElement {
  const shows = (what: 'grid' | 'axes' | 'wireframe', label: string) =>
    toggleButton(label, stage.isShown(what), (isOn) => stage.show(what, isOn));
  return element(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': messages.toolbar },
    actionButton(messages.fit, () => stage.fit()),
    shows('grid', messages.grid),
    shows('axes', messages.axes),
    shows('wireframe', messages.wireframe),
    actionButton(messages.picture, savePicture),
  );
}
