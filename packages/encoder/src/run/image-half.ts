import { join } from 'node:path';
import type { ModelDescription } from '../description.ts';
import { EncoderError } from '../errors.ts';
import { decodeImage } from '../images/decode.ts';
import { prepareImage } from '../images/prepare.ts';
import { normalizeRows } from './normalize-rows.ts';
import { openSession, SILENT } from './session.ts';

/** Loads the image half of a model. The returned function encodes pictures and concatenates their vectors. */
export async function loadImageHalf(
  folder: string,
  { image, dim }: ModelDescription,
  threads: number,
): Promise<(images: readonly Uint8Array[]) => Promise<Float32Array>> {
  const { runtime, inference } = await openSession(join(folder, image.model), threads);
  const numbersOfOne = 3 * image.size * image.size;
  return async (images) => {
    const numbers = new Float32Array(images.length * numbersOfOne);
    for (const [index, bytes] of images.entries()) {
      const picture = await decodeImage(bytes).catch((cause: Error) => {
        throw new EncoderError('image', `The picture cannot be decoded: ${cause.message}`, { index, cause });
      });
      numbers.set(prepareImage(picture, image), index * numbersOfOne);
    }
    const input = new runtime.Tensor('float32', numbers, [images.length, 3, image.size, image.size]);
    const answers = await inference.run({ [image.input]: input }, [image.output], {
      logSeverityLevel: SILENT,
    });
    return normalizeRows(answers[image.output], images.length, dim);
  };
}
