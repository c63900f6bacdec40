import fs from 'node:fs';
import { isMissing } from '../../../../objects/missing.ts';
import type { StoredObject } from '../../../../objects/store.ts';
import { AREAS, type Layout } from '../layout.ts';

export interface FilesToRenew {
  storeId: string;
  uploads: readonly StoredObject[];
  /** The time from which their age counts (milliseconds since 1970). */
  now: number;
}

/** Returns the hashes of uploads that are staged with exactly these sizes, and resets their age. */
export function renewFiles(layout: Layout, { storeId, uploads, now }: FilesToRenew): string[] {
  const areas = AREAS.filter((area) => fs.existsSync(layout.storeOf(area, storeId)));
  const time = new Date(now);
  const renewed = uploads.filter(({ sha256, size }) => {
    for (const area of areas) {
      const path = layout.staged(area, { storeId, sha256 });
      const stats = fs.statSync(path, { throwIfNoEntry: false });
      if (stats) return stats.size === size && renew(path, time);
    }
    return false;
  });
  return renewed.map(({ sha256 }) => sha256);
}

/** Returns false if the file has just been moved or deleted. */
function renew(path: string, time: Date): boolean {
  try {
    fs.utimesSync(path, time, time);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
