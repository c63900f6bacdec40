import type { Primitive } from './primitives.ts';
import type { SolidMoments } from './solid.ts';

/** What a form of simple measures encloses, exactly: pictures have round ones only nearly. */
export function momentsOfPrimitive(form: Primitive): SolidMoments {
  switch (form.type) {
    case 'box': {
      const [x, y, z] = form.size;
      return ellipsoidal(x * y * z, 1 / 12, form.size);
    }
    case 'sphere':
      return ellipsoidal((4 / 3) * Math.PI * form.radius ** 3, 1 / 5, [
        form.radius,
        form.radius,
        form.radius,
      ]);
    case 'ellipsoid': {
      const [x, y, z] = form.radii;
      return ellipsoidal((4 / 3) * Math.PI * x * y * z, 1 / 5, form.radii);
    }
    case 'cylinder': {
      const { radius: r, length: h } = form;
      const volume = Math.PI * r * r * h;
      return turnedMoments(volume, (volume * r * r) / 4, (volume * h * h) / 12);
    }
    case 'capsule': {
      const { radius: r, length: h } = form;
      const [ball, tube] = [(4 / 3) * Math.PI * r ** 3, Math.PI * r * r * h];
      const ends = ball * (r ** 2 / 5 + (3 * r * h) / 8 + h ** 2 / 4);
      return turnedMoments(ball + tube, (ball * r * r) / 5 + (tube * r * r) / 4, ends + (tube * h * h) / 12);
    }
  }
}

/** Moments of what is turned around Z: its volume, the integrals of x² and of z², and of z. */
export function turnedMoments(volume: number, across: number, along: number, first = 0): SolidMoments {
  return { volume, first: [0, 0, first], second: [across, across, along, 0, 0, 0] };
}

function ellipsoidal(
  volume: number,
  share: number,
  [x, y, z]: readonly [number, number, number],
): SolidMoments {
  const along = (side: number) => volume * share * side ** 2;
  return { volume, first: [0, 0, 0], second: [along(x), along(y), along(z), 0, 0, 0] };
}
