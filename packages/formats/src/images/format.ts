import type { Format } from '../format.ts';

export const images = {
  name: 'image',
  preference: 200,
  family: 'image',
  extensions: ['png', 'jpg', 'jpeg', 'webp', 'tga', 'dds', 'ktx2', 'exr', 'hdr'],
} as const satisfies Format;
