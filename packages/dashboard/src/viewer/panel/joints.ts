import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { JointControl, Joints } from '../viewer.ts';

/** With more joints than this, they can be filtered by name. */
const MANY = 12;
const STEPS = 200;

/** A slider for each joint, within its limits. */
export function jointsSection(joints: Joints): HTMLElement {
  const rows = joints.list.map((joint, index) => jointRow(joint, index, (value) => joints.set(index, value)));
  joints.onMove?.((values) => {
    for (const [index, row] of rows.entries()) row.show(values[index] ?? 0);
  });
  const list = element('div', { class: 'joints' }, ...rows.map((row) => row.element));
  const section = element('details', { open: true }, element('summary', {}, messages.joints(rows.length)));
  if (rows.length > MANY) section.append(filter(joints.list, rows));
  section.append(list);
  return section;
}

interface JointRow {
  readonly element: HTMLElement;
  show(value: number): void;
}

function jointRow(
  { name, unit, min, max, value }: JointControl,
  index: number,
  set: (value: number) => void,
): JointRow {
  const id = `joint-${index}`;
  const slider = element('input', { type: 'range', id, min, max, step: (max - min) / STEPS || 0.01, value });
  const output = element('output', { for: id });
  const show = (now: number) => {
    output.textContent = formatJointValue(now, unit);
    slider.setAttribute('aria-valuetext', formatJointValue(now, unit));
    // A slider that the user is moving is not overwritten.
    if (document.activeElement !== slider) slider.value = String(now);
  };
  slider.addEventListener('input', () => {
    set(slider.valueAsNumber);
    show(slider.valueAsNumber);
  });
  show(value);
  return {
    element: element('div', {}, element('label', { for: id, title: name }, name), slider, output),
    show,
  };
}

function filter(list: readonly JointControl[], rows: readonly JointRow[]): HTMLElement {
  const input = element('input', {
    type: 'search',
    'aria-label': messages.filterJoints,
    placeholder: messages.filterJoints,
  });
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const [index, { name }] of list.entries()) {
      const row = rows[index]?.element;
      if (row) row.hidden = !words.every((word) => name.toLowerCase().includes(word));
    }
  });
  return input;
}

/** Angles in degrees; lengths in centimetres. */
export function formatJointValue(value: number, unit: 'rad' | 'm'): string {
  if (unit === 'm') return `${(value * 100).toFixed(1)} cm`;
  return `${Math.round((value * 180) / Math.PI)}°`;
}
