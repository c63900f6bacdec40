import { open } from 'node:fs/promises';
import { type BlendAssets, readAssetDataBlocks } from '@bindery/formats/blend/data-blocks';
import { unpackBlend } from '@bindery/formats/blend/unpack';
import { Unrenderable } from '@bindery/formats/reading/errors';

/** Reads which data-blocks of a local Blender file are assets; null if it cannot be read. */
export default async function readBlend(path: string): Promise<BlendAssets | null> {
  await using file = await open(path);
  const { size } = await file.stat();
  const read = async (offset: number, length: number) => {
    const most = Math.max(0, Math.min(length, size - offset));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, offset);
    return buffer.subarray(0, bytesRead);
  };
  try {
    return await readAssetDataBlocks(await unpackBlend({ size, read }));
  } catch (error) {
    if (error instanceof Unrenderable) return null;
    throw error;
  }
}
