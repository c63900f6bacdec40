import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { compareMessages } from '../../messages/compare.ts';
import { BytesPicture } from '../../parts/bytes-picture.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import styles from './compare.module.css';

/** The longer side in which pictures are compared, in pixels. */
const LARGEST = 640;

/** Two pictures, and what differs between them. Nothing if they are the same, byte for byte. */
export function ComparedPictures({
  name,
  queryKey,
  read,
}: {
  /** What they show. */
  name: string;
  queryKey: readonly unknown[];
  /** The bytes on both sides; null for a side that has no picture. */
  read: (signal: AbortSignal) => Promise<readonly [ArrayBuffer | null, ArrayBuffer | null]>;
}) {
  const text = compareMessages;
  const { data, error } = useQuery({
    queryKey: ['pictures', ...queryKey],
    queryFn: ({ signal }) => read(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  if (!data) return error ? <InlineError error={error} /> : <div className="coming" />;
  const [before, after] = data;
  if (isSame(before, after)) return null;
  return (
    <div className={styles.pictures}>
      {before && <Picture bytes={before} caption={text.before} label={text.pictureBefore(name)} />}
      {after && <Picture bytes={after} caption={text.after} label={text.pictureAfter(name)} />}
      {before && after && <Difference before={before} after={after} name={name} />}
    </div>
  );
}

function Picture({ bytes, caption, label }: { bytes: ArrayBuffer; caption: string; label: string }) {
  return (
    <figure className={styles.figure}>
      <BytesPicture bytes={bytes} label={label} />
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

function Difference({ before, after, name }: { before: ArrayBuffer; after: ArrayBuffer; name: string }) {
  const text = compareMessages;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [share, setShare] = useState<number | null>(null);
  useEffect(() => {
    let isGone = false;
    void drawDifference(before, after, canvas.current).then((drawn) => {
      if (!isGone) setShare(drawn);
    });
    return () => {
      isGone = true;
    };
  }, [before, after]);
  return (
    <figure className={styles.figure}>
      <canvas ref={canvas} role="img" aria-label={text.pictureDifference(name)} />
      <figcaption>{share === null ? text.notCompared : text.differs(share)}</figcaption>
    </figure>
  );
}

/** Returns the share of the picture that differs; null for bytes that the browser cannot show. */
async function drawDifference(
  before: ArrayBuffer,
  after: ArrayBuffer,
  canvas: HTMLCanvasElement | null,
): Promise<number | null> {
  const bitmaps = await Promise.all(
    [before, after].map((bytes) => createImageBitmap(new Blob([bytes]))),
  ).catch(() => null);
  const [was, is] = bitmaps ?? [];
  const drawing = canvas?.getContext('2d');
  if (!was || !is || !canvas || !drawing) return null;
  const scale = Math.min(1, LARGEST / Math.max(is.width, is.height));
  canvas.width = Math.max(1, Math.round(is.width * scale));
  canvas.height = Math.max(1, Math.round(is.height * scale));
  const { picture, share } = differenceOf(pixels(was, canvas), pixels(is, canvas));
  drawing.putImageData(picture, 0, 0);
  return share;
}

/** The picture in the size of the canvas. */
function pixels(bitmap: ImageBitmap, { width, height }: HTMLCanvasElement): ImageData {
  const drawing = new OffscreenCanvas(width, height).getContext('2d');
  if (!drawing) throw new Error('This browser cannot draw.');
  drawing.drawImage(bitmap, 0, 0, width, height);
  return drawing.getImageData(0, 0, width, height);
}

function isSame(before: ArrayBuffer | null, after: ArrayBuffer | null): boolean {
  if (before === null || after === null) return before === after;
  if (before.byteLength !== after.byteLength) return false;
  const [one, other] = [new Uint8Array(before), new Uint8Array(after)];
  return one.every((byte, at) => byte === other[at]);
}

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
