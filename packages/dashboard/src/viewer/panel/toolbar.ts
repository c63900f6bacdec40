import { element } from '../../element.ts';
import type { ViewerOffers } from '../../viewer-protocol.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import { actionButton } from './buttons.ts';

/** What the page does for the view, as far as it offers to. */
export interface ViewActions {
  readonly offers: ViewerOffers;
  savePicture(): void;
  copyLink(): void;
  askFullScreen(isOn: boolean): void;
  /** Calls the listener whenever the frame begins or ends to fill the screen. */
  onFullScreen(listener: (isOn: boolean) => void): void;
}

/** The buttons that every 3D view has. */
export function stageToolbar(stage: Stage, actions: ViewActions): HTMLElement {
  const { offers, savePicture, copyLink } = actions;
  const link = actionButton(messages.copyLink, copyLink);
  link.setAttribute('aria-label', messages.copyLinkToView);
  return element(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': messages.toolbar },
    actionButton(messages.fit, () => stage.fit()),
    ...(offers.fullScreen ? [fullScreenButton(stage, actions)] : []),
    ...(offers.links ? [link] : []),
    ...(offers.pictures ? [actionButton(messages.picture, savePicture)] : []),
  );
}

function fullScreenButton(stage: Stage, { askFullScreen, onFullScreen }: ViewActions): HTMLElement {
  let isOn = false;
  const button = actionButton(messages.fullScreen, () => askFullScreen(!isOn));
  button.setAttribute('aria-pressed', 'false');
  onFullScreen((fills) => {
    isOn = fills;
    button.setAttribute('aria-pressed', String(fills));
    stage.holdTouches(fills);
  });
  return button;
}
