import fs from 'node:fs';
import { dirname } from 'node:path';
import { isMissing } from '../../../../objects/missing.ts';
import { PRIVATE_FOLDER } from '../files.ts';

/** Moves a file, creating the target folder if it does not exist. */
export function moveInto(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
    fs.mkdirSync(dirname(to), { recursive: true, mode: PRIVATE_FOLDER });
    fs.renameSync(from, to);
  }
}
