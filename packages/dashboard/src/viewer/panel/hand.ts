import * as THREE from 'three';
import { messages } from '../messages.ts';
import { Arrows } from '../scene/arrows.ts';
import type { Stage } from '../stage/stage.ts';
import type { Controls } from '../viewer.ts';
import { ICONS, iconButton } from './buttons.ts';

/** Drags parts of a model, with an arrow from what is held to the pointer: with Ctrl, or while its button is pressed. */
export function handTool(stage: Stage, hold: NonNullable<Controls['hold']>): HTMLElement {
  const { canvas } = stage;
  const arrow = new Arrows(1);
  stage.scene.add(arrow.object);
  let isOn = false;
  const button = iconButton(messages.hand, ICONS.hand, () => {
    isOn = !isOn;
    button.setAttribute('aria-pressed', String(isOn));
    canvas.parentElement?.classList.toggle('dragging', isOn);
    stage.holdTouches('hand', isOn);
  });
  button.setAttribute('aria-pressed', 'false');

  const take = (event: PointerEvent) => {
    if (!(isOn || event.ctrlKey) || !event.isPrimary) return;
    const found = stage.pick(...stage.placeOf(event));
    const held = found && hold(found.object, found.point);
    if (!held) return;
    // The camera does not turn.
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    const { object, point } = found;
    const at = object.worldToLocal(point.clone());
    const to = point.clone();
    const facing = new THREE.Plane().setFromNormalAndCoplanarPoint(
      stage.camera.getWorldDirection(new THREE.Vector3()),
      point,
    );
    const move = (moved: PointerEvent) =>
      stage.rayThrough(...stage.placeOf(moved)).ray.intersectPlane(facing, to);
    const stop = stage.animate(() => {
      held.drag(to);
      const from = object.localToWorld(at.clone());
      arrow.show([{ from, along: to.clone().sub(from) }], stage.size.length() * 0.01);
    });
    canvas.addEventListener('pointermove', move);
    canvas.addEventListener(
      'lostpointercapture',
      () => {
        canvas.removeEventListener('pointermove', move);
        stop();
        held.release();
        arrow.show([]);
        stage.invalidate();
      },
      { once: true },
    );
  };
  // Before the controls of the camera see it.
  canvas.addEventListener('pointerdown', take, { capture: true });
  return button;
}
