import { messageOf } from '../../ask.ts';
import { element } from '../../element.ts';

/** A toggle button, which exposes its state to assistive technology. */
export function toggleButton(
  label: string,
  isOn: boolean,
  set: (isOn: boolean) => void | Promise<void>,
): HTMLButtonElement {
  const button = element('button', { type: 'button', 'aria-pressed': String(isOn) }, label);
  button.addEventListener('click', async () => {
    const next = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(next));
    button.setAttribute('aria-busy', 'true');
    try {
      await set(next);
      button.removeAttribute('title');
    } catch (error) {
      button.setAttribute('aria-pressed', String(!next));
      button.title = messageOf(error);
    } finally {
      button.removeAttribute('aria-busy');
    }
  });
  return button;
}

/** A button that shows only an icon: the path of one on a square of 20 units, drawn with a line. */
export function iconButton(label: string, icon: string, act: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'icon', title: label, 'aria-label': label });
  setIcon(button, icon);
  button.addEventListener('click', act);
  return button;
}

export function setIcon(button: HTMLElement, icon: string): void {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', icon);
  svg.append(path);
  button.replaceChildren(svg);
}

const SVG = 'http://www.w3.org/2000/svg';

export const ICONS = {
  fit: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M7 10h6M10 7v6',
  fullScreen: 'M12 3h5v5M17 3l-6 6M8 17H3v-5M3 17l6-6',
  link: 'M8.5 11.5a3 3 0 0 0 4.2 0l2.8-2.8a3 3 0 0 0-4.2-4.2l-1 1M11.5 8.5a3 3 0 0 0-4.2 0l-2.8 2.8a3 3 0 0 0 4.2 4.2l1-1',
  picture: 'M2.5 6.5h3L7 4.5h6l1.5 2h3v9.5h-15zM10 8a2.8 2.8 0 1 0 .01 0',
  controls: 'M3 6h6M13 6h4M11 4v4M3 14h3M10 14h7M8 12v4',
  play: 'M6 4l10 6-10 6z',
  pause: 'M7 4v12M13 4v12',
  step: 'M4 4l8 6-8 6zM15 4v12',
  hand: 'M7 10.5V5a1.3 1.3 0 0 1 2.6 0v4V3.6a1.3 1.3 0 0 1 2.6 0V9V4.8a1.3 1.3 0 0 1 2.6 0V12a5 5 0 0 1-5 5.2c-2.4 0-3.4-1-4.4-2.8L3.6 11a1.3 1.3 0 0 1 2.2-1.3L7 11.5',
  push: 'M2.5 10h8M7.5 6.5L11 10l-3.5 3.5M14 4.5h3.5v11H14z',
  reset: 'M4 4v4h4M4.5 8a6.2 6.2 0 1 1-.5 4',
} as const;

/** A choice among options by their numbers. */
export function selectOf(options: readonly string[], label?: string): HTMLSelectElement {
  const all = options.map((name, value) => element('option', { value }, name));
  return element('select', { 'aria-label': label }, ...all);
}

export function actionButton(label: string, act: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button' }, label);
  button.addEventListener('click', act);
  return button;
}
