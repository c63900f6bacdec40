import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { Playback, Timeline } from '../viewer.ts';
import { ICONS, iconButton, selectOf, setIcon } from './buttons.ts';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Plays a simulation or an animation, which has a time line as well. */
export function playbackBar(playback: Playback): HTMLElement {
  let isOn = false;
  const set = (plays: boolean) => {
    if (plays === isOn) return;
    isOn = plays;
    playback.play(isOn);
    setIcon(button, isOn ? ICONS.pause : ICONS.play);
    button.title = isOn ? messages.pause : messages.play;
    button.setAttribute('aria-label', button.title);
  };
  const button = iconButton(messages.play, ICONS.play, () => set(!isOn));
  button.classList.add('play');
  const step = iconButton(messages.step, ICONS.step, () => {
    set(false);
    playback.step?.();
  });
  const push = iconButton(messages.push, ICONS.push, () => {
    set(true);
    playback.push?.();
  });
  const speed = selectOf(SPEEDS.map(messages.times), messages.speed);
  speed.selectedIndex = SPEEDS.indexOf(1);
  speed.addEventListener('change', () => playback.setSpeed(SPEEDS[speed.selectedIndex] ?? 1));
  return element(
    'div',
    { class: 'playback', role: 'group', 'aria-label': playback.label },
    button,
    ...(playback.step ? [step] : []),
    ...(playback.push ? [push] : []),
    ...(playback.timeline ? timeControls(playback.timeline) : []),
    speed,
    iconButton(messages.reset, ICONS.reset, () => playback.reset()),
  );
}

function timeControls(timeline: Timeline): HTMLElement[] {
  const slider = element('input', { type: 'range', min: 0, step: 'any', 'aria-label': messages.time });
  const output = element('output');
  const show = () => {
    const { time, duration } = timeline;
    slider.max = String(duration);
    slider.value = String(time);
    output.textContent = messages.seconds(time.toFixed(2), duration.toFixed(2));
    slider.setAttribute('aria-valuetext', output.textContent);
  };
  show();
  timeline.onTime(show);
  slider.addEventListener('input', () => timeline.seek(slider.valueAsNumber));
  return [slider, output];
}
