import { inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { decode, PALETTE_ANSI_256 } from 'sixel';
import type { Picture } from '../../src/output/pictures/protocols.ts';

/** Reads what was written for a terminal as that terminal does. Throws where it is not one whole picture. */

export function readKitty(written: string): Picture & { control: Map<string, string>; chunks: string[] } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is read
  const escapes = [...written.matchAll(/\u001b_G([^;\u001b]*);([A-Za-z0-9+/=]*)\u001b\\/g)];
  if (escapes.map(([whole]) => whole).join('') !== written) throw new Error('there is more than graphics');
  const controls = escapes.map(([, text = '']) => new Map(text.split(',').map(pairOf)));
  const [control = new Map<string, string>(), ...others] = controls;
  const more = controls.map((one) => one.get('m'));
  if (more.at(-1) !== '0' || more.slice(0, -1).some((m) => m !== '1')) throw new Error('chunks do not end');
  if (others.some((one) => one.size !== 1)) throw new Error('later chunks say more than m');
  const chunks = escapes.map(([, , chunk = '']) => chunk);
  const pixels = new Uint8Array(inflateSync(Buffer.from(chunks.join(''), 'base64')));
  return { control, chunks, pixels, width: Number(control.get('s')), height: Number(control.get('v')) };
}

export async function readIterm(written: string): Promise<Picture & { control: Map<string, string> }> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is read
  const match = /^\u001b\]1337;File=([^:]*):([A-Za-z0-9+/=]*)\u0007$/.exec(written);
  if (!match) throw new Error('there is more than one file');
  const [, options = '', base64 = ''] = match;
  const png = Buffer.from(base64, 'base64');
  const control = new Map(options.split(';').map(pairOf));
  if (control.get('size') !== String(png.length)) throw new Error('the size is another one');
  const { format } = await sharp(png).metadata();
  if (format !== 'png') throw new Error(`it is ${format}`);
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { control, pixels: new Uint8Array(data), width: info.width, height: info.height };
}

export function readSixel(written: string): Picture {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is read
  const match = /^\u001bP[0-9;]*q([\u0020-\u007e\n]*)\u001b\\$/.exec(written);
  if (!match) throw new Error('there is more than sixels');
  const { width, height, data32 } = decode(match[1] ?? '', { palette: PALETTE_ANSI_256, fillColor: 0 });
  return { width, height, pixels: new Uint8Array(data32.buffer, data32.byteOffset, width * height * 4) };
}

function pairOf(text: string): [string, string] {
  const [key = '', value = ''] = text.split('=');
  return [key, value];
}
