import { imageSize } from '@bindery/formats';
import {
  type AssetFiles,
  declaredSplatCount,
  parseSogMeta,
  type SogMeta,
  TooLarge,
  toMessageText,
  Unrenderable,
} from '@bindery/render/models';
import { unzipSync, zipSync } from 'fflate';

type SogFiles = Readonly<Record<string, Uint8Array>>;

/** Packs a SOG folder into the archive that Spark reads, with only the files that `meta.json` lists. */
export async function archiveOfFolder(entry: string, files: AssetFiles): Promise<Uint8Array> {
  const meta = await files.read(entry);
  const parts: Record<string, Uint8Array> = { 'meta.json': meta };
  for (const name of planeNames(parseSogMeta(meta))) {
    const path = files.resolve(entry, name);
    if (path === undefined) throw new Unrenderable(`the asset has no file ${toMessageText(name)}`);
    parts[name] = await files.read(path);
  }
  return zipSync(parts, { level: 0 });
}

/** Unpacks the files of a `.sog` archive. @throws TooLarge beyond `maxBytes`. */
export function filesOfArchive(archive: Uint8Array, maxBytes: number): SogFiles {
  let length = 0;
  try {
    return unzipSync(archive, {
      filter: ({ originalSize }) => {
        length += originalSize;
        if (length > maxBytes) throw new TooLarge(`too large: more than ${maxBytes} bytes when unpacked`);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    throw new Unrenderable('not a SOG archive, or damaged');
  }
}

/** Counts the splats of a SOG. @throws Unrenderable if its planes have fewer pixels than it declares splats. */
export function countSogSplats(files: SogFiles): number {
  const bytes = files['meta.json'];
  if (bytes === undefined) throw new Unrenderable('the SOG has no meta.json');
  const meta = parseSogMeta(bytes);
  const count = declaredSplatCount(meta);
  if (count === 0) throw new Unrenderable('the SOG has no splats');
  for (const plane of [meta.means, meta.scales, meta.quats, meta.sh0]) {
    for (const name of plane?.files ?? []) {
      const size = imageSize(files[name] ?? new Uint8Array());
      if (size === undefined)
        throw new Unrenderable(`a plane of the SOG is missing or damaged: ${toMessageText(name)}`);
      if (size.width * size.height < count)
        throw new Unrenderable('a plane of the SOG is too small for the splats that it announces');
    }
  }
  return count;
}

function planeNames({ means, scales, quats, sh0, shN }: SogMeta): string[] {
  return [means, scales, quats, sh0, shN].flatMap((plane) => (plane?.files ?? []).map(String));
}
