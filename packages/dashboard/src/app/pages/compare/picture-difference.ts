/** What differs between two pictures of the same size. */
export interface PictureDifference {
  /** The later picture in grey, with what differs in red. */
  picture: ImageData;
  /** The share of its pixels that differ, from 0 to 1. */
  share: number;
}

/** Sums of the differences of red, green, blue and alpha up to this are noise of the encoding. */
const NOISE = 24;

/** How far unchanged parts are faded towards white, so that the changes stand out. */
const FADED = 0.7;

const RED = [211, 47, 47] as const;

export function differenceOf(before: ImageData, after: ImageData): PictureDifference {
  const { width, height } = after;
  const picture = new ImageData(width, height);
  let changed = 0;
  for (let at = 0; at < after.data.length; at += 4) {
    const [red, green, blue, alpha] = pixel(after, at);
    const [wasRed, wasGreen, wasBlue, wasAlpha] = pixel(before, at);
    const difference =
      Math.abs(red - wasRed) +
      Math.abs(green - wasGreen) +
      Math.abs(blue - wasBlue) +
      Math.abs(alpha - wasAlpha);
    if (difference > NOISE) {
      changed++;
      picture.data.set([...RED, 255], at);
    } else {
      const grey = 0.3 * red + 0.6 * green + 0.1 * blue;
      const faded = grey + (255 - grey) * FADED;
      picture.data.set([faded, faded, faded, alpha], at);
    }
  }
  return { picture, share: changed / (width * height) };
}

type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

function pixel({ data }: ImageData, at: number): Pixel {
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 0];
}
