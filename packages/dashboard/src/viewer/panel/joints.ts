import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { JointControl, Joints } from '../viewer.ts';
import { actionButton } from './buttons.ts';

/** With more joints than this, they can be filtered by name. */
const MANY = 12;
const STEPS = 200;

/**
 * A slider and a number for each joint, within its limits. They are two stops for Tab, however many joints there are:
 * ↑ and ↓ go from joint to joint.
 */
export function jointsSection(joints: Joints): HTMLElement {
  const rows = joints.list.map(
    (joint, index) => new JointRow(joint, index, (value) => joints.set(index, value)),
  );
  joints.onMove((values) => {
    for (const [index, row] of rows.entries()) row.show(values[index] ?? 0);
  });
  const list = element('div', { class: 'joints' }, ...rows.map((row) => row.element));
  moveByArrows(list, rows);
  const reset = actionButton(messages.firstPose, () => {
    for (const [index, { value }] of joints.list.entries()) {
      joints.set(index, value);
      rows[index]?.show(value);
    }
  });
  return element(
    'details',
    { open: true },
    element('summary', {}, messages.joints(rows.length)),
    ...(rows.length > MANY ? [filter(joints.list, rows)] : []),
    list,
    reset,
  );
}

class JointRow {
  readonly element: HTMLElement;
  readonly #unit: JointControl['unit'];
  readonly #slider: HTMLInputElement;
  readonly #number: HTMLInputElement;

  constructor({ name, unit, min, max, value }: JointControl, index: number, set: (value: number) => void) {
    const id = `joint-${index}`;
    this.#unit = unit;
    this.#slider = element('input', {
      type: 'range',
      id,
      min,
      max,
      step: (max - min) / STEPS || 0.01,
      value,
    });
    this.#number = element('input', {
      type: 'number',
      step: 'any',
      min: toShown(min, unit),
      max: toShown(max, unit),
      'aria-label': messages.jointIn(name, unit),
    });
    this.#slider.addEventListener('input', () => {
      set(this.#slider.valueAsNumber);
      this.show(this.#slider.valueAsNumber);
    });
    this.#number.addEventListener('change', () => {
      const typed = this.#number.valueAsNumber / SHOWN[unit];
      const next = Number.isFinite(typed) ? Math.min(Math.max(typed, min), max) : this.#slider.valueAsNumber;
      set(next);
      this.show(next);
    });
    this.show(value);
    const label = element('label', { for: id, title: name }, name);
    const typed = element('span', { class: 'typed' }, this.#number, unit === 'm' ? 'cm' : '°');
    this.element = element('div', {}, label, typed, this.#slider);
    this.isStop = index === 0;
  }

  get controls(): readonly HTMLInputElement[] {
    return [this.#number, this.#slider];
  }

  set isStop(isStop: boolean) {
    for (const control of this.controls) control.tabIndex = isStop ? 0 : -1;
  }

  show(value: number): void {
    this.#slider.setAttribute('aria-valuetext', formatJointValue(value, this.#unit));
    // What the user is moving or typing is not overwritten.
    if (document.activeElement !== this.#slider) this.#slider.value = String(value);
    if (document.activeElement !== this.#number) this.#number.value = String(toShown(value, this.#unit));
  }
}

function moveByArrows(list: HTMLElement, rows: readonly JointRow[]): void {
  const rowOf = (target: EventTarget | null) =>
    rows.findIndex((row) => target instanceof Node && row.element.contains(target));
  list.addEventListener('focusin', ({ target }) => {
    const at = rowOf(target);
    for (const [index, row] of rows.entries()) row.isStop = index === at;
  });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = rowOf(event.target);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const column = event.target === rows[at]?.controls[0] ? 0 : 1;
    let next = at + step;
    while (rows[next]?.element.hidden) next += step;
    rows[next]?.controls[column]?.focus();
  });
}

function filter(list: readonly JointControl[], rows: readonly JointRow[]): HTMLElement {
  const input = element('input', {
    type: 'search',
    'aria-label': messages.filterJoints,
    placeholder: messages.filterJoints,
  });
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    const shown = rows.filter((row, index) => {
      const name = list[index]?.name.toLowerCase() ?? '';
      row.element.hidden = !words.every((word) => name.includes(word));
      return !row.element.hidden;
    });
    for (const row of rows) row.isStop = row === shown[0];
  });
  return input;
}

/** Degrees in a radian, and centimetres in a metre. */
const SHOWN = { rad: 180 / Math.PI, m: 100 } as const;

/** In degrees or centimetres, to a hundredth. */
function toShown(value: number, unit: JointControl['unit']): number {
  return Math.round(value * SHOWN[unit] * 100) / 100;
}

/** Angles in degrees; lengths in centimetres. */
export function formatJointValue(value: number, unit: 'rad' | 'm'): string {
  if (unit === 'm') return `${(value * 100).toFixed(1)} cm`;
  return `${Math.round((value * 180) / Math.PI)}°`;
}
