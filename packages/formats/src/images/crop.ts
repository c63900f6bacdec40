/** A box in a picture as it stands upright: its left and top edges, width and height, in pixels. */
export type Crop = readonly [x: number, y: number, width: number, height: number];

/** What is kept around a box on each side, as a share of it: the background of what is in it. */
const AROUND = 0.1;

/** Returns the whole pixels of a picture that are looked at for a box in it. */
export function regionAround(picture: { width: number; height: number }, [x, y, across, down]: Crop) {
  const left = Math.max(0, Math.floor(x - across * AROUND));
  const top = Math.max(0, Math.floor(y - down * AROUND));
  const right = Math.min(picture.width, Math.ceil(x + across * (1 + AROUND)));
  const bottom = Math.min(picture.height, Math.ceil(y + down * (1 + AROUND)));
  return { left, top, width: right - left, height: bottom - top };
}
