import type { Vector3 } from '@bindery/formats/model/matrix';
import type { KeyShadow } from './key-shadow.ts';
import { createSurfacePoint, illuminate, KEY_DIRECTION, type SurfacePoint, toneMap } from './light.ts';
import type { SurfaceReader } from './surface.ts';

/** Turns a point on a surface into a display-ready linear colour. */
export class Shader {
  readonly #eye: Vector3;
  readonly #shadow: KeyShadow;
  readonly #point: SurfacePoint = createSurfacePoint();
  /** Red, green, blue, opacity of the last `shade`. */
  readonly color = new Float32Array(4);

  constructor(eye: Vector3, shadow: KeyShadow) {
    this.#eye = eye;
    this.#shadow = shadow;
  }

  /** Shades the reader's triangle at screen-space weights u, v; `ambientVisibility` is from 0 to 1. */
  shade(reader: SurfaceReader, u: number, v: number, ambientVisibility: number): void {
    const point = this.#point;
    const { color } = this;
    reader.read(u, v, this.#eye, point);
    if (reader.draw.material.unlit) {
      color[0] = point.red;
      color[1] = point.green;
      color[2] = point.blue;
    } else {
      const facesKey =
        point.nx * KEY_DIRECTION[0] + point.ny * KEY_DIRECTION[1] + point.nz * KEY_DIRECTION[2] > 0;
      const lit = facesKey
        ? this.#shadow.visibility(point.x, point.y, point.z, point.gx, point.gy, point.gz)
        : 0;
      illuminate(point, this.#eye, lit, ambientVisibility * point.occlusion, color);
      toneMap(color);
    }
    color[3] = point.alpha < 0 ? 0 : Math.min(point.alpha, 1);
  }
}
