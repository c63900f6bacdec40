import * as THREE from 'three';
import { element } from '../../element.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import { selectOf } from './buttons.ts';

const AXES = ['X', 'Y', 'Z'] as const;
const STEPS = 200;

/** Cuts the model open along an axis of its file. */
export function sectionTool(stage: Stage): HTMLElement {
  const axis = selectOf([messages.none, ...AXES], messages.section);
  const place = element('input', {
    type: 'range',
    min: 0,
    max: STEPS,
    value: STEPS / 2,
    'aria-label': messages.sectionPlace,
    hidden: true,
  });
  const cut = () => {
    place.hidden = axis.selectedIndex === 0;
    stage.cut(axis.selectedIndex === 0 ? null : planeAt(stage, axis.selectedIndex - 1, place.valueAsNumber));
  };
  axis.addEventListener('change', cut);
  place.addEventListener('input', cut);
  const row = element('label', { class: 'choice' }, element('span', {}, messages.section), axis);
  return element('div', { class: 'section' }, row, place);
}

/** The plane at a step of the model's extent along an axis of its file; what lies beyond it is cut off. */
function planeAt({ root, bounds }: Stage, axis: number, step: number): THREE.Plane {
  const direction = new THREE.Vector3().setComponent(axis, 1).applyQuaternion(root.quaternion);
  const half = bounds.getSize(new THREE.Vector3()).multiplyScalar(0.5);
  const reach =
    Math.abs(direction.x) * half.x + Math.abs(direction.y) * half.y + Math.abs(direction.z) * half.z;
  const center = bounds.getCenter(new THREE.Vector3()).dot(direction);
  const plane = new THREE.Plane(direction.negate(), center + reach * ((2 * step) / STEPS - 1));
  return root.parent === null ? plane : plane.applyMatrix4(root.parent.matrixWorld);
}
