import { TooLarge, Unrenderable } from '@bindery/render/models';

/** The content of a gzip stream. @throws TooLarge as soon as it is longer than `maxBytes`. */
export async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Unrenderable('the file is damaged: its gzip stream cannot be unpacked');
    });
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      await reader.cancel();
      throw new TooLarge(`too large: more than ${maxBytes} bytes when unpacked`);
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
