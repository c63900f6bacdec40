import { hash } from 'node:crypto';
import fs from 'node:fs';
import { PRIVATE_FILE, temporaryPath } from '../files.ts';
import type { Layout } from '../layout.ts';
import { moveInto } from './move.ts';

/** Small files stored in `bytes`, each from its `start` on. */
export interface FilesToStage {
  bytes: Uint8Array;
  files: readonly { storeId: string; sha256: string | null; start: number; size: number }[];
}

export interface StagedFiles {
  /** The hashes of the staged files, in order. */
  staged: string[];
  /** Why staging stopped at the file after them: other bytes than announced, or a system error. Null if it did not. */
  failure: { received: string } | { message: string; code: string | undefined } | null;
}

/** Verifies files and moves each, whole, into the staging area. */
export function stageFiles(layout: Layout, { bytes, files }: FilesToStage): StagedFiles {
  const staged: string[] = [];
  for (const { storeId, sha256, start, size } of files) {
    const content = bytes.subarray(start, start + size);
    const received = hash('sha256', content);
    if (sha256 !== null && sha256 !== received) return { staged, failure: { received } };
    try {
      stageFile(layout, storeId, received, content);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { staged, failure: { message, code } };
    }
    staged.push(received);
  }
  return { staged, failure: null };
}

function stageFile(layout: Layout, storeId: string, sha256: string, content: Uint8Array): void {
  const temporary = temporaryPath(layout);
  const fd = fs.openSync(temporary, 'wx', PRIVATE_FILE);
  try {
    for (let at = 0; at < content.length; ) at += fs.writeSync(fd, content, at);
    moveInto(temporary, layout.staged('incoming', { storeId, sha256 }));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}
