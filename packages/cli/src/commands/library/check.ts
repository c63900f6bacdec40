import { availableParallelism } from 'node:os';
import type { CheckReport, Problem, PublishOptions, Severity } from '@bindery/sdk/libraries';
import { argument, defineCommand, flag, oneOf, option, text } from '../../command.ts';
import type { Context } from '../../context.ts';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { VERSION } from '../../version.ts';
import { optionalPackage } from '../optional-package.ts';
import { exclude, include } from './inputs.ts';
import { CONVERSION_BOUNDS } from './pull-converted.ts';

/** Limits of model checks; time and memory are per asset. */
const BOUNDS = {
  workers: Math.min(availableParallelism(), 4),
  timeoutMs: 60_000,
  memoryMiB: 2_048,
};
/** The time limit of an asset whose models are simulated. */
const SIMULATION_MS = 600_000;
const CODES_PAGE = 'docs/checks.md';

export const check = defineCommand({
  name: 'check',
  summary: 'Check a folder for problems before publishing it',
  description:
    'Follows every reference, compiles MJCF with MuJoCo, runs the Khronos glTF validator, and checks masses, ' +
    `inertias, joint limits, textures, duplicates and licences. ${CODES_PAGE} says what each code means; "check: {accept: [code]}" ` +
    'in bindery.yml accepts one. Exit code 7 if there are errors. Nothing is sent, and no sign-in is needed.',
  inputs: {
    dir: argument('<dir>', 'the folder', text),
    include,
    exclude,
    simulate: flag('also let robots rest and move in MuJoCo, and judge how they behave'),
    profile: option(
      '<profile>',
      'also say which requirements of it the assets do not meet as USD: simready',
      oneOf('simready'),
    ),
    sarif: flag('print SARIF 2.1.0, which code hosts show next to the files'),
  },
  examples: [
    ['bindery library check robots', 'the problems, with files and lines'],
    ['bindery library check robots --simulate', 'also whether the robots stand, hold and stay whole'],
    ['bindery library check robots --profile simready', 'also what "pull --as usd" would lose'],
    ['bindery library check robots --sarif > robots.sarif', 'for a code host'],
  ],
  async run({ dir, sarif, simulate, profile, include, exclude }, context) {
    const report = await checkFolder(dir, { include, exclude }, context, {
      isSimulated: simulate,
      forSimReady: profile === 'simready',
    });
    const { sarifOf } = await import('@bindery/sdk/libraries');
    return { report, sarif: sarif ? sarifOf(report, VERSION) : null };
  },
  render({ report, sarif }, output) {
    if (sarif === null) showReport(report, output);
    else output.value(sarif);
  },
  json: ({ report, sarif }) => sarif ?? report,
  exitCode: ({ report }) => (errorsOf(report).length > 0 ? EXIT.integrity : EXIT.done),
});

export async function checkFolder(
  dir: string,
  rules: PublishOptions,
  { environment, signal, output }: Context,
  { isSimulated = false, forSimReady = false, isWhole = false } = {},
): Promise<CheckReport> {
  const { cacheFolder, checkLibrary, discoverFolder, leftOutReferences } = await import(
    '@bindery/sdk/libraries'
  );
  const { createConversionPool, createModelCheckPool } = await optionalPackage(
    '@bindery/render',
    'Checking models',
    () => import('@bindery/render'),
  );
  await using models = createModelCheckPool(isSimulated ? { ...BOUNDS, timeoutMs: SIMULATION_MS } : BOUNDS);
  await using simReady = forSimReady ? createConversionPool(CONVERSION_BOUNDS) : undefined;
  // A model that is being compiled does not listen to signals; its process can only be ended.
  const stop = () => void Promise.all([models[Symbol.asyncDispose](), simReady?.[Symbol.asyncDispose]()]);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const found = await discoverFolder(dir, {
      ...rules,
      cacheFolder: cacheFolder(environment),
      signal,
    });
    const [unread] = found.leftOut;
    if (isWhole && unread !== undefined)
      throw new CommandError(
        EXIT.integrity,
        'check_failed',
        `${sanitizeLine(unread.path)} would be published, and is not checked: it is hidden, or a secret.`,
      );
    for (const warning of leftOutReferences(found, found.leftOut)) output.warn(sanitizeLine(warning));
    return await checkLibrary(found, models, { isSimulated, simReady, signal });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Throws if the folder to push has errors. */
export async function refuseCheckErrors(
  dir: string,
  rules: PublishOptions,
  context: Context,
): Promise<{ errors: number; warnings: number; notes: number }> {
  const report = await checkFolder(dir, rules, context);
  const errors = errorsOf(report);
  if (errors.length === 0) {
    return {
      errors: 0,
      warnings: problemsOf(report, 'warning').length,
      notes: problemsOf(report, 'note').length,
    };
  }
  for (const error of errors) context.output.warn(formatProblem(error));
  throw new CommandError(
    EXIT.integrity,
    'check_failed',
    `${formatCount(errors.length, 'error')} in ${sanitizeLine(dir)}; nothing was sent.`,
    {
      next: `Fix them, or accept their codes under "check" in bindery.yml (${CODES_PAGE}).`,
      details: { problems: errors },
    },
  );
}

const problemsOf = ({ problems }: CheckReport, severity: Severity): Problem[] =>
  problems.filter((one) => one.severity === severity);

export const errorsOf = (report: CheckReport): Problem[] => problemsOf(report, 'error');

export function showReport(report: CheckReport, output: Output): void {
  const { problems, simulations } = report;
  for (const line of linesOf(problems)) output.line(line);
  const [simulation] = simulations;
  if (simulation !== undefined)
    output.note(`${formatCount(simulations.length, 'model')} simulated with MuJoCo ${simulation.mujoco}.`);
  output.note(summaryOf(report));
}

/** A sentence with how many problems there are. */
export function summaryOf(report: CheckReport): string {
  const found = (['error', 'warning', 'note'] as const).map((severity) =>
    formatCount(problemsOf(report, severity).length, severity),
  );
  const also = report.accepted === 0 ? '' : `, ${report.accepted} accepted in bindery.yml`;
  return `${formatCount(report.assets, 'asset')}: ${found.join(', ')}${also}.`;
}

/** Maximum number of problems of one code that are shown of a file. */
const MAX_SHOWN_PER_CODE = 3;

/**
 * Returns a line for each problem: one for the same problem in several files of an asset, and a few for many of one
 * code in one file, with a line that says how many more there are.
 */
function linesOf(problems: readonly Problem[]): string[] {
  const same = Map.groupBy(problems, ({ asset, code, message }) => JSON.stringify([asset, code, message]));
  const distinct = [...same.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ problem: first, others }],
  );
  const byFile = Map.groupBy(distinct, ({ problem: { asset, code, file } }) =>
    JSON.stringify([asset, code, file]),
  );
  return [...byFile.values()].flatMap((alike) => {
    const shown = alike.length > MAX_SHOWN_PER_CODE + 1 ? alike.slice(0, MAX_SHOWN_PER_CODE) : alike;
    const lines = shown.map(({ problem, others }) => formatProblem(problem, others));
    const hidden = alike[shown.length]?.problem;
    if (hidden === undefined) return lines;
    const { asset, file, severity, code } = hidden;
    const more = `${alike.length - shown.length} more of these; --json has all`;
    return [...lines, sanitizeLine(`${file ?? asset}: ${severity}: ${more} [${code}]`)];
  });
}

/** As compilers write it: `arm/arm.urdf:12: error: … [reference-missing]`. */
function formatProblem(problem: Problem, others: readonly Problem[] = []): string {
  const { severity, message, code } = problem;
  const [other] = others;
  const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
  const also = other === undefined ? '' : ` (also ${placeOf(other)}${more})`;
  return sanitizeLine(`${placeOf(problem)}: ${severity}: ${message}${also} [${code}]`);
}

function placeOf({ file, line, asset }: Problem): string {
  return file === null ? asset : line === null ? file : `${file}:${line}`;
}
