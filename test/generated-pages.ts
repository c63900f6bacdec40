import sharp from 'sharp';
import type { WrittenAsset, WrittenLibrary } from '../packages/server/test/libraries/publish.ts';

const ASSETS = 5_000;
/** The number of different images among the thumbnails. */
const PICTURES = 160;
/** Words with different initial letters; each is in the titles of a hundred assets. */
export const WORDS = ['Zinc', 'Yarn', 'Velvet', 'Quartz', 'Jade'];
export const ASSETS_OF_WORD = 100;

/** A library of 5,000 assets with thumbnails. */
export async function manyAssets(): Promise<Pick<WrittenLibrary, 'assets' | 'generated'>> {
  const picturePath = (at: number) => `.bindery/thumbs/part-${at}.webp`;
  const pictures = Array.from(
    { length: PICTURES },
    async (_, at) => [picturePath(at), await picture(at)] as const,
  );
  const files = { 'cube.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' };
  const assets = Array.from({ length: ASSETS }, (_, at): WrittenAsset => {
    const word = WORDS[at % (ASSETS / ASSETS_OF_WORD)];
    return {
      id: `part-${String(at).padStart(4, '0')}`,
      title: word ? `${word} part ${at}` : `Part ${at}`,
      description: `Number ${at} of many parts of one machine`,
      kind: at % 2 === 0 ? 'mesh' : 'urdf',
      tags: [`row-${at % 20}`],
      license: at % 3 === 0 ? 'MIT' : 'Apache-2.0',
      thumbnail: picturePath(at % PICTURES),
      files,
    };
  });
  const generated = Object.fromEntries(await Promise.all(pictures));
  return { assets, generated };
}

/** An image with about as many pixels and bytes as one that `push --thumbnails` draws. */
function picture(at: number): Promise<Buffer> {
  const circles = Array.from({ length: 60 }, (_, shape) => {
    const [x, y] = [(at * 37 + shape * 131) % 640, (at * 53 + shape * 71) % 480];
    const fill = `hsl(${(at * 29 + shape * 47) % 360} 60% 60%)`;
    return `<circle cx="${x}" cy="${y}" r="${20 + (shape % 7) * 9}" fill="${fill}" opacity="0.7"/>`;
  });
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">${circles.join('')}</svg>`;
  return sharp(Buffer.from(drawing)).webp({ quality: 80 }).toBuffer();
}
