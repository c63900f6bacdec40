import * as THREE from 'three';
import { element } from '../../element.ts';
import { messages } from '../messages.ts';
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
  const marks = new Marks();
  let points: THREE.Vector3[] = [];
  let pressed: PointerEvent | undefined;

  const add = (x: number, y: number) => {
    const point = pick(stage, x, y);
    if (point === undefined) return;
    points = points.length === 2 ? [point] : [...points, point];
    show();
  };
  const show = () => {
    const [from, to] = points;
    marks.show(points);
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
    const { width, height } = stage.canvas.getBoundingClientRect();
    add((event.offsetX / width) * 2 - 1, 1 - (event.offsetY / height) * 2);
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
    if (isOn) stage.scene.add(marks.object);
    else stage.scene.remove(marks.object);
    show();
  });
  return { button, result };
}

/** The point of the model that is seen at a place of the view, from −1 to 1 to the right and up. */
function pick({ camera, root, renderer, size }: Stage, x: number, y: number): THREE.Vector3 | undefined {
  const ray = new THREE.Raycaster();
  ray.params.Points.threshold = size.length() / 200;
  ray.setFromCamera(new THREE.Vector2(x, y), camera);
  const [cut] = renderer.clippingPlanes;
  return ray
    .intersectObject(root)
    .find(({ object, point }) => isShown(object) && (cut === undefined || cut.distanceToPoint(point) >= 0))
    ?.point;
}

function isShown(object: THREE.Object3D | null): boolean {
  return object === null || (object.visible && isShown(object.parent));
}

/** The measured points and the line between them, in front of everything. */
class Marks {
  readonly object = new THREE.Group();
  readonly #line: THREE.Line;
  readonly #dots: THREE.Points;

  constructor() {
    const look = { color: 0xff6a00, depthTest: false, transparent: true };
    const geometry = new THREE.BufferGeometry();
    this.#line = new THREE.Line(geometry, new THREE.LineBasicMaterial(look));
    this.#dots = new THREE.Points(
      geometry,
      new THREE.PointsMaterial({ ...look, size: 8, sizeAttenuation: false }),
    );
    for (const part of [this.#line, this.#dots]) {
      part.renderOrder = 1;
      part.frustumCulled = false;
    }
    this.object.add(this.#line, this.#dots);
  }

  show(points: readonly THREE.Vector3[]): void {
    this.object.visible = points.length > 0;
    this.#line.geometry.dispose();
    const geometry = new THREE.BufferGeometry().setFromPoints([...points]);
    this.#line.geometry = geometry;
    this.#dots.geometry = geometry;
  }
}
