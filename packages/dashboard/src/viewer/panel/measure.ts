import type * as THREE from 'three';
import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import { Arrows } from '../scene/arrows.ts';
import type { Stage } from '../stage/stage.ts';
import type { ViewerContent } from '../viewer.ts';
import { toggleButton } from './buttons.ts';
import { lengthOf } from './statistics.ts';

/** A pointer that moves further than this between its press and its release turns the model. In pixels. */
const STILL = 5;

/** Measures from point to point on the surface: where the user clicks or, on Enter, what is in the middle of the view. */
export function measureTool(
  stage: Stage,
  content: ViewerContent,
): { button: HTMLElement; result: HTMLElement } {
  const result = element('div', { class: 'measured', role: 'status', hidden: true });
  const marks = new Arrows(2);
  stage.scene.add(marks.object);
  let points: THREE.Vector3[] = [];
  let pressed: PointerEvent | undefined;

  const add = (x: number, y: number) => {
    const point = stage.pick(x, y)?.point;
    if (point === undefined) return;
    points = points.length === 2 ? [point] : [...points, point];
    show();
  };
  const show = () => {
    const [from, to] = points;
    const ends = points.map((point) => ({ from: point, along: (to ?? point).clone().sub(point) }));
    marks.show(ends, stage.size.length() * 0.004);
    stage.invalidate();
    if (from === undefined) result.textContent = messages.measureFirst;
    else if (to === undefined) result.textContent = messages.measureSecond;
    else result.textContent = messages.distance(lengthOf(from.distanceTo(to), content));
  };
  const press = (event: PointerEvent) => {
    pressed = event;
  };
  const release = (event: PointerEvent) => {
    if (!pressed || Math.hypot(event.x - pressed.x, event.y - pressed.y) > STILL) return;
    add(...stage.placeOf(event));
  };
  const type = ({ key }: KeyboardEvent) => {
    if (key === 'Enter') add(0, 0);
  };

  const button = toggleButton(messages.measure, false, (isOn) => {
    const change = isOn ? 'addEventListener' : 'removeEventListener';
    stage.canvas[change]('pointerdown', press as EventListener);
    stage.canvas[change]('pointerup', release as EventListener);
    stage.canvas[change]('keydown', type as EventListener);
    result.hidden = !isOn;
    stage.canvas.parentElement?.classList.toggle('measuring', isOn);
    points = [];
    show();
  });
  return { button, result };
}
