import { element } from '../../element.ts';
import type { ViewerOffers } from '../../viewer-protocol.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import type { Controls } from '../viewer.ts';
import { ICONS, iconButton } from './buttons.ts';
import { handTool } from './hand.ts';

/** What the page does for the view, as far as it offers to. */
export interface ViewActions {
  readonly offers: ViewerOffers;
  savePicture(): void;
  copyLink(): void;
  askFullScreen(isOn: boolean): void;
  /** Calls the listener whenever the frame begins or ends to fill the screen. */
  onFullScreen(listener: (isOn: boolean) => void): void;
}

/** The buttons that every 3D view has, and the one of parts that can be dragged. */
export function stageToolbar(stage: Stage, actions: ViewActions, hold: Controls['hold']): HTMLElement {
  const { offers, savePicture, copyLink } = actions;
  return element(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': messages.toolbar },
    iconButton(messages.fit, ICONS.fit, () => stage.fit()),
    ...(hold ? [handTool(stage, hold)] : []),
    ...(offers.fullScreen ? [fullScreenButton(stage, actions)] : []),
    ...(offers.links ? [iconButton(messages.copyLinkToView, ICONS.link, copyLink)] : []),
    ...(offers.pictures ? [iconButton(messages.picture, ICONS.picture, savePicture)] : []),
  );
}

function fullScreenButton(stage: Stage, { askFullScreen, onFullScreen }: ViewActions): HTMLElement {
  let isOn = false;
  const button = iconButton(messages.fullScreen, ICONS.fullScreen, () => askFullScreen(!isOn));
  button.setAttribute('aria-pressed', 'false');
  onFullScreen((fills) => {
    isOn = fills;
    button.setAttribute('aria-pressed', String(fills));
    stage.holdTouches('full screen', fills);
  });
  return button;
}
