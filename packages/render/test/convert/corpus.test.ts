import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { CLIENTS_PYTHON, missingPythonClients } from '../../../../test/python-clients.ts';
import { tellCases } from '../../../../test/tallies.ts';
import { canRun } from '../../../sdk/test/credentials/needed-programs.ts';
import { type ConversionTarget, convertModel } from '../../src/convert/convert.ts';
import { inFolder } from '../models/folder.ts';
import { here, realAssets } from '../models/real-assets.ts';

interface Judged {
  mass: number;
  center: number[];
  bodies: number;
  places: number[][];
}

const TARGETS: Readonly<Record<string, readonly ConversionTarget[]>> = {
  mjcf: ['urdf', 'usd'],
  urdf: ['mjcf', 'usd'],
};

const CASES = (await realAssets()).flatMap((robot) =>
  (TARGETS[robot.kind] ?? []).map((target) => ({ ...robot, target })),
);

describe.runIf(here && canRun('the libraries of formats', missingPythonClients()))(
  'published robots, skipped without ../shared',
  () => {
    let agreed = 0;
    afterAll(() => tellCases('Pinocchio, MuJoCo and OpenUSD', CASES.length, CASES.length - agreed));

    test.each(CASES)(
      '$library/$id weighs the same at the same places as $target',
      { timeout: 60_000 },
      async ({ folder, library, kind, entry, files, target }) => {
        const own = new Map<string, Uint8Array>();
        for (const { path } of files) {
          const place = `${library}/${path.split('/').map(encodeURIComponent).join('/')}`;
          own.set(path, new Uint8Array(await readFile(new URL(place, folder))));
        }
        const sizes = new Map(files.map(({ path, size }) => [path, size]));
        const read = async (path: string) => own.get(path) as Uint8Array;
        const converted = await convertModel({
          ...{ kind, format: undefined, entry, target },
          files: { sizes, read },
        });
        const all = new Map(
          [...own]
            .map(([path, bytes]): [string, Uint8Array] => [`source/${path}`, bytes])
            .concat([...converted.files].map(([path, bytes]) => [`result/${path}`, bytes])),
        );
        const answer = inFolder(all, (root) =>
          execFileSync(
            CLIENTS_PYTHON,
            [
              fileURLToPath(new URL('corpus-oracle.py', import.meta.url)),
              join(root, 'source', entry),
              join(root, 'result', converted.entry),
            ],
            { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
          ),
        );
        const [source, result] = JSON.parse(answer.trim().split('\n').at(-1) ?? '') as [Judged, Judged];
        expect(source.places.length).toBeGreaterThanOrEqual(source.bodies / 2);
        expect(result.mass).toBeCloseTo(source.mass, 4);
        // What weighs nothing has its centre nowhere.
        const pointsOf = ({ places, center }: Judged) => (source.mass > 0 ? [...places, center] : places);
        expect(pointsOf(result).flat()).toEqual(
          pointsOf(source)
            .flat()
            .map((value) => expect.closeTo(value, 4)),
        );
        agreed++;
      },
    );
  },
);
