import { assetId, formatEngineVerdict } from '@bindery/contract';
import { z } from 'zod';
import { authored } from '../authored.ts';
import type { Catalog, Certificate } from '../catalog.ts';
import { defineTool } from '../tool.ts';
import { formatLibrary, revisionInput } from './names.ts';

/** The most problems of a robot in simulation that are shown. */
const MAX_PROBLEMS = 10;
/** The most characters about one engine. */
const MAX_WORDS = 500;

/** How a robot behaved in simulation. */
export const certificate = z.object({
  madeBy: z.enum(['publisher', 'service']),
  verdict: z.enum(['passed', 'failed']),
  mujoco: z.string(),
  problems: z.array(z.string()),
  engines: z.array(z.string()).max(8),
});

export function describeCertificate(made: Certificate): z.input<typeof certificate> {
  const { madeBy, verdict, mujoco, problems, engines = [] } = made;
  const told = problems.slice(0, MAX_PROBLEMS).map(({ code, message }) => `${code}: ${message}`);
  const others = engines.map((run) => formatEngineVerdict(run).slice(0, MAX_WORDS));
  return { madeBy, verdict, mujoco, problems: told, engines: others };
}

const input = z.strictObject({
  library: revisionInput,
  assetId: assetId.describe('Of a robot.'),
});

const output = z.object({ library: z.string(), authored: certificate.extend({ assetId: z.string() }) });

export const certifyAsset = (catalog: Catalog) =>
  defineTool({
    name: 'certify_asset',
    title: 'Simulate a robot',
    description:
      'Has the service simulate a robot in MuJoCo, and says whether it held. Takes up to minutes the first time; inspect_asset then shows it. For ' +
      'members of the namespace.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    input,
    output,
    async run({ library, assetId }) {
      const made = await catalog.certifyAsset(library, assetId);
      return {
        value: {
          library: formatLibrary(library),
          ...authored({ assetId, ...describeCertificate(made) }),
        },
      };
    },
  });
