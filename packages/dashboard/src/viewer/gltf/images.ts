import type { GLTF } from '@gltf-transform/core';
import type { Gltf } from './container.ts';

/** Extensions that provide an alternative image for a texture: preferred to its own, or instead of it. */
const PREFERRED = ['EXT_texture_webp', 'EXT_texture_avif'];
const OTHERS = ['KHR_texture_basisu', 'MSFT_texture_dds'];

/**
 * Returns the file without the textures whose images cannot be read: surfaces show their plain colours instead.
 * `isReadable` reports whether an image, given by index, can be read.
 */
export function withoutTextures(
  json: Gltf,
  isReadable: (image: number) => boolean,
): { json: Gltf; missing: number } {
  const textures = (json.textures ?? []).map((texture) => readableSource(texture, isReadable));
  const missing = textures.filter((source) => source === undefined).length;
  const cleaned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(cleaned);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(
      ([name, info]) => !/texture$/i.test(name) || !isTextureInfo(info) || textures[info.index] !== undefined,
    );
    return Object.fromEntries(kept.map(([name, one]) => [name, cleaned(one)]));
  };
  return {
    missing,
    json: {
      ...json,
      extensionsRequired: (json.extensionsRequired ?? []).filter((name) => name !== 'KHR_texture_basisu'),
      textures: (json.textures ?? []).map((texture, index) => withSource(texture, textures[index])),
      materials: (json.materials ?? []).map((material) => cleaned(material) as GLTF.IMaterial),
    },
  };
}

/** Returns the index of the image for a texture: the first readable one among those in decodable formats. */
function readableSource(
  { source, extensions }: GLTF.ITexture,
  isReadable: (image: number) => boolean,
): number | undefined {
  const sourcesOf = (names: readonly string[]) =>
    names.map((name) => (extensions?.[name] as GLTF.ITexture)?.source);
  const sources = [...sourcesOf(PREFERRED), source, ...sourcesOf(OTHERS)];
  return sources.find((one) => one !== undefined && isReadable(one));
}

/** Removes all extensions: the browser detects the format from the bytes. */
function withSource(texture: GLTF.ITexture, source: number | undefined): GLTF.ITexture {
  const { extensions: _, source: __, ...rest } = texture;
  return { ...rest, source: source ?? 0 };
}

function isTextureInfo(value: unknown): value is { index: number } {
  return (
    typeof value === 'object' && value !== null && Number.isInteger((value as { index?: unknown }).index)
  );
}
