import type { OpenedViewer } from '../../../open-viewer.ts';
import type { CameraPlace } from '../../../viewer-protocol.ts';

/** Keeps the cameras of two viewers alike: equally far away, and turned alike. */
export class SharedCamera {
  readonly #isOnePlace: boolean;
  readonly #sides: ({ readonly viewer: OpenedViewer; readonly first: CameraPlace } | undefined)[] = [];

  /** `isOnePlace`: both look at the same point; otherwise each looks at the middle of its model at first. */
  constructor(isOnePlace: boolean) {
    this.#isOnePlace = isOnePlace;
  }

  /** Takes over where the camera of one side has moved. At first, the one that is further away leads. */
  moved(side: number, viewer: OpenedViewer, camera: CameraPlace): void {
    const own = this.#sides[side];
    if (own?.viewer === viewer) this.#lead(side, camera);
    else {
      this.#sides[side] = { viewer, first: camera };
      const [one, other] = this.#sides;
      if (one && other && distance(one.first) < distance(other.first)) this.#lead(1, other.first);
      else if (one) this.#lead(0, one.first);
    }
  }

  #lead(side: number, camera: CameraPlace): void {
    const [own, led] = [this.#sides[side], this.#sides[1 - side]];
    if (own === undefined || led === undefined) return;
    const shift = camera.map((_, at) =>
      this.#isOnePlace ? 0 : (led.first[3 + (at % 3)] ?? 0) - (own.first[3 + (at % 3)] ?? 0),
    );
    led.viewer.placeCamera(camera.map((value, at) => value + (shift[at] ?? 0)));
  }
}

function distance(camera: CameraPlace): number {
  return Math.hypot(...[0, 1, 2].map((axis) => (camera[axis] ?? 0) - (camera[3 + axis] ?? 0)));
}
