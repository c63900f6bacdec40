import type { Format } from '../format.ts';

export const images = {
  name: 'image',
  preference: 200,
  family: 'image',
  extensions: ['png', 'jpg', 'jpeg', 'webp', 'tga', 'dds', 'ktx2', 'exr', 'hdr'],
  mediaTypes: {
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    webp: 'image/webp',
    ktx2: 'image/ktx2',
    hdr: 'image/vnd.radiance',
  },
} as const satisfies Format;
