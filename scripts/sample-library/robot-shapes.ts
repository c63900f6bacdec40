import { alongY, box, cylinder, joined, type Mesh, moved, turned } from './geometry.ts';

/** A pedestal that narrows towards a fork, in which the upper arm rotates at a height of 0.1 m. */
export function armBase(): Mesh {
  const pedestal = turned([
    [0, -0.05],
    [0.12, -0.05],
    [0.12, -0.03],
    [0.085, -0.01],
    [0.07, 0.04],
    [0, 0.04],
  ]);
  const cheeks = [-0.062, 0.062].flatMap((y) => [
    moved(box(0.1, 0.018, 0.09), [0, y, 0.06]),
    moved(alongY(cylinder(0.05, 0.018)), [0, y, 0.1]),
  ]);
  return joined([pedestal, ...cheeks]);
}

/** A beam from one joint to the next, with a hub at each. */
export function upperArm(): Mesh {
  const cheeks = [-0.043, 0.043].flatMap((y) => [
    moved(box(0.076, 0.014, 0.1), [0, y, 0.35]),
    moved(alongY(cylinder(0.038, 0.014)), [0, y, 0.4]),
  ]);
  return joined([alongY(cylinder(0.046, 0.1)), moved(box(0.06, 0.07, 0.3), [0, 0, 0.17]), ...cheeks]);
}

/** A beam that ends in a tool flange. */
export function forearm(): Mesh {
  const flange = turned([
    [0, 0.31],
    [0.022, 0.31],
    [0.022, 0.335],
    [0.036, 0.335],
    [0.036, 0.35],
    [0, 0.35],
  ]);
  return joined([alongY(cylinder(0.034, 0.068)), moved(box(0.044, 0.05, 0.3), [0, 0, 0.16]), flange]);
}

/** The body of the gripper on its flange; the fingers slide in the rail on top. */
export function palm(): Mesh {
  const flange = turned([
    [0, -0.05],
    [0.036, -0.05],
    [0.036, -0.038],
    [0.024, -0.038],
    [0.024, -0.02],
    [0, -0.02],
  ]);
  const rail = moved(box(0.11, 0.02, 0.008), [0, 0, 0.019]);
  return joined([flange, moved(box(0.1, 0.05, 0.036), [0, 0, -0.003]), rail]);
}

/** A finger on its carriage, with the pad inside, towards negative X. */
export function finger(): Mesh {
  const carriage = moved(box(0.024, 0.034, 0.014), [0.004, 0, -0.022]);
  const blade = moved(box(0.01, 0.022, 0.075), [0.004, 0, 0.02]);
  const pad = moved(box(0.006, 0.022, 0.026), [-0.003, 0, 0.044]);
  return joined([carriage, blade, pad]);
}

/** A chassis with a deck, and a camera mast at the front. */
export function roverBody(): Mesh {
  const mast = moved(cylinder(0.012, 0.16), [0.18, 0, 0.13]);
  const camera = moved(box(0.05, 0.09, 0.04), [0.18, 0, 0.22]);
  return joined([box(0.5, 0.22, 0.09), moved(box(0.42, 0.28, 0.012), [-0.02, 0, 0.055]), mast, camera]);
}

/** A tyre on a rim. */
export function roverWheel(): Mesh {
  return turned([
    [0, -0.02],
    [0.05, -0.02],
    [0.055, -0.03],
    [0.08, -0.03],
    [0.09, -0.02],
    [0.09, 0.02],
    [0.08, 0.03],
    [0.055, 0.03],
    [0.05, 0.02],
    [0, 0.02],
  ]);
}
