import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { publish, type WrittenAsset } from '../packages/server/test/libraries/publish.ts';
import type { TestService } from '../packages/server/test/service.ts';

const DATA = fileURLToPath(new URL('../../shared/data/', import.meta.url));
const ASSETS = 5_000;
/** The number of different images among the thumbnails of `bench/many`. */
const PICTURES = 160;

/** Words with different initial letters; each is in the titles of a hundred assets. */
export const WORDS = ['Zinc', 'Yarn', 'Velvet', 'Quartz', 'Jade'] as const;
export const ASSETS_OF_WORD = 100;

interface DescribedAsset extends Omit<WrittenAsset, 'files'> {
  library: string;
  files: { path: string }[];
}

/** The real assets that benchmarks open; empty if they are not installed. */
export function openedAssets(): DescribedAsset[] {
  if (!existsSync(`${DATA}assets.json`)) return [];
  return (JSON.parse(readFileSync(`${DATA}assets.json`, 'utf8')) as { assets: DescribedAsset[] }).assets;
}

/** Publishes the content of the pages: `bench/many` with 5,000 assets, and `bench/opened` with the real ones. */
export async function publishPages(service: TestService): Promise<void> {
  const bench = await service.member('bench');
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, at) => picture(at)));
  await publish(bench, 'bench/many', {
    visibility: 'public',
    assets: manyAssets(),
    generated: Object.fromEntries(pictures.map((bytes, at) => [picturePath(at), bytes])),
  });
  const opened = openedAssets();
  if (opened.length === 0) return;
  await publish(bench, 'bench/opened', { visibility: 'public', assets: await readAll(opened) });
}

const CUBE = { 'cube.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' };

function manyAssets(): WrittenAsset[] {
  return Array.from({ length: ASSETS }, (_, at) => {
    const word = WORDS[at % (ASSETS / ASSETS_OF_WORD)];
    return {
      id: `part-${String(at).padStart(4, '0')}`,
      title: word ? `${word} part ${at}` : `Part ${at}`,
      description: `Number ${at} of many parts of one machine`,
      kind: at % 2 === 0 ? 'mesh' : 'urdf',
      tags: [`row-${at % 20}`],
      license: at % 3 === 0 ? 'MIT' : 'Apache-2.0',
      thumbnail: picturePath(at % PICTURES),
      files: CUBE,
    };
  });
}

const picturePath = (at: number) => `.bindery/thumbs/part-${at}.webp`;

/** An image with about as many pixels and bytes as one that `push --thumbnails` draws. */
function picture(at: number): Promise<Buffer> {
  const shapes = Array.from({ length: 60 }, (_, shape) => {
    const [x, y, hue] = [
      (at * 37 + shape * 131) % 640,
      (at * 53 + shape * 71) % 480,
      (at * 29 + shape * 47) % 360,
    ];
    return `<circle cx="${x}" cy="${y}" r="${20 + (shape % 7) * 9}" fill="hsl(${hue} 60% 60%)" opacity="0.7"/>`;
  });
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">${shapes.join('')}</svg>`;
  return sharp(Buffer.from(drawing)).webp({ quality: 80 }).toBuffer();
}

function readAll(assets: readonly DescribedAsset[]): Promise<WrittenAsset[]> {
  return Promise.all(
    assets.map(async ({ id, title, kind, format, entry, library, files }) => {
      const contents = await Promise.all(
        files.map(
          async ({ path }) => [`${library}/${path}`, await readFile(`${DATA}${library}/${path}`)] as const,
        ),
      );
      return { id, title, kind, format, entry: `${library}/${entry}`, files: Object.fromEntries(contents) };
    }),
  );
}
