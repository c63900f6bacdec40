import type { Client } from '@bindery/sdk';
import { fetchThumbnails } from './fetch-thumbnails.ts';
import { encodeIterm, encodeKitty, type Picture } from './protocols.ts';
import type { PictureProtocol } from './terminal.ts';
import { decodeThumbnail } from './webp.ts';

/**
 * Returns each hit's thumbnail, encoded for the terminal, by its index; null if it has none, or it did not arrive or is
 * not a picture. Output is encoded from decoded pixels: no byte of an asset reaches the terminal unchanged.
 */
export async function drawThumbnails(
  client: Pick<Client, 'download'>,
  hits: readonly { thumbnailSrcset?: string | null | undefined }[],
  protocol: PictureProtocol,
  signal: AbortSignal,
): Promise<(string | null)[]> {
  const srcsets = hits.map(({ thumbnailSrcset }) => thumbnailSrcset);
  const [fetched, encode] = await Promise.all([
    fetchThumbnails(client, srcsets, { signal }),
    encoderOf(protocol),
  ]);
  const drawn: (string | null)[] = [];
  for (const bytes of fetched) {
    const picture = bytes === null ? null : await decodeThumbnail(bytes);
    drawn.push(picture === null ? null : encode(picture));
  }
  return drawn;
}

async function encoderOf(protocol: PictureProtocol): Promise<(picture: Picture) => string> {
  if (protocol === 'kitty') return encodeKitty;
  if (protocol === 'iterm') return encodeIterm;
  return (await import('./sixel.ts')).encodeSixel;
}
