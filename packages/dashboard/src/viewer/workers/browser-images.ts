import { type ImageDecoder, Unrenderable } from '@bindery/render/models';
import { imageSize } from '../image-size.ts';

/** Images as the browser decodes them. */
export const browserImages: ImageDecoder = {
  decode: async (bytes, maxPixels, shrink) => {
    const announced = imageSize(bytes);
    if (announced === undefined) throw new Unrenderable('cannot be decoded');
    if (announced.width * announced.height > maxPixels) throw new Unrenderable('too many pixels');
    const bitmap = await createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>]), {
      colorSpaceConversion: 'none',
    });
    const longest = Math.max(bitmap.width, bitmap.height);
    const scale = shrink !== undefined && longest > shrink.above ? shrink.to / longest : 1;
    const [width, height] = [
      Math.max(1, Math.round(bitmap.width * scale)),
      Math.max(1, Math.round(bitmap.height * scale)),
    ];
    const context = new OffscreenCanvas(width, height).getContext('2d');
    if (context === null) throw new Unrenderable('the browser has no canvas');
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return { width, height, data: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer) };
  },
};
