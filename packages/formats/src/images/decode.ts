import type { Image } from '../model/scene.ts';
import { decodeDds, isDds } from './dds.ts';
import { decodeExr, isExr } from './exr.ts';
import { decodeHdr, isHdr } from './hdr.ts';
import { decodeKtx2, isKtx2 } from './ktx2.ts';
import { decodeTga, isTga } from './tga.ts';

/**
 * Decodes pictures of the formats that neither libvips nor browsers read: KTX2, DDS, EXR, Radiance HDR, TGA; undefined
 * for bytes that are none of these.
 *
 * @throws Unrenderable for a damaged picture, and for one of more than `maxPixels`
 */
export function decodePicture(bytes: Uint8Array, maxPixels: number): Image | undefined {
  if (isKtx2(bytes)) return decodeKtx2(bytes, maxPixels);
  if (isDds(bytes)) return decodeDds(bytes, maxPixels);
  if (isExr(bytes)) return decodeExr(bytes, maxPixels);
  if (isHdr(bytes)) return decodeHdr(bytes, maxPixels);
  if (isTga(bytes)) return decodeTga(bytes, maxPixels);
  return undefined;
}
