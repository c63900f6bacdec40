import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { Choice, Controls, Playback } from '../viewer.ts';
import { actionButton, toggleButton } from './buttons.ts';
import { jointsSection } from './joints.ts';

/** The controls of a model; undefined if it has none. */
export function controlsPanel({
  joints,
  choices = [],
  playback,
  toggles = [],
}: Controls): HTMLElement | undefined {
  const parts: HTMLElement[] = [];
  if (playback !== undefined) parts.push(playbackRow(playback));
  parts.push(...choices.map(choiceRow));
  if (toggles.length > 0) {
    const buttons = toggles.map(({ label, isOn, set }) => toggleButton(label, isOn, set));
    parts.push(element('div', { class: 'buttons' }, ...buttons));
  }
  if (joints !== undefined && joints.list.length > 0) parts.push(jointsSection(joints));
  if (parts.length === 0) return undefined;
  return element('section', { class: 'panel', 'aria-label': messages.controls }, ...parts);
}

function playbackRow({ label, isPlaying, play, reset }: Playback): HTMLElement {
  const row = element('div', { class: 'buttons', role: 'group', 'aria-label': label });
  const button = element('button', { type: 'button', class: 'play' });
  let isOn = isPlaying;
  const show = () => {
    button.textContent = isOn ? messages.pause : messages.play;
  };
  button.addEventListener('click', () => {
    isOn = !isOn;
    play(isOn);
    show();
  });
  show();
  row.append(element('span', {}, label), button);
  if (reset !== undefined) row.append(actionButton(messages.reset, reset));
  return row;
}

function choiceRow({ label, options, chosen, choose }: Choice): HTMLElement {
  const select = element(
    'select',
    {},
    ...options.map((option, index) =>
      element('option', { value: index, selected: index === chosen }, option),
    ),
  );
  select.addEventListener('change', () => choose(select.selectedIndex));
  return element('label', { class: 'choice' }, element('span', {}, label), select);
}
