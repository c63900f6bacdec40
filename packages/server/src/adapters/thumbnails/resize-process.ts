import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { killOnMemoryLimitOrOrphaned, serveProcessTasks } from '@bindery/concurrency/process';
import sharp from 'sharp';

export interface ResizeTask {
  file: string;
  /** The expected hash of the file. */
  sha256: string;
  width: number;
}

export interface ResizeSettings {
  maxBytes: number;
}

/** Width times height. */
const MAX_PIXELS = 64_000_000;

/** The formats that authors use; libvips supports more, including SVG. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`);

const QUALITY = { quality: 80, alphaQuality: 90, effort: 4 } as const;

serveProcessTasks<ResizeSettings, ResizeTask>(({ maxBytes }) => {
  killOnMemoryLimitOrOrphaned(maxBytes);
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return resize;
});

/** Returns the picture as WebP, upright, at most `width` pixels on its longer side, never enlarged. */
async function resize({ file, sha256, width }: ResizeTask): Promise<Uint8Array> {
  const bytes = await readFile(file);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('the file is damaged');
  return sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
    .autoOrient()
    .resize({ width, height: width, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .webp(QUALITY)
    .toBuffer();
}
