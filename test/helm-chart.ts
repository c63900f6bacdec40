import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));

export const CHART = join(root, 'deploy/helm/bindery');

/** Whether the binary in the Helm package runs on this machine. */
export const HAS_HELM = process.platform === 'linux' && process.arch === 'x64';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a spec of its own, checked against Kubernetes' types.
  spec: any;
}

export type Values = Record<string, unknown>;

/** The packaged Helm, extracted to a temporary folder; `dispose` removes it. */
export interface Helm {
  /** Returns what `helm template` renders, including hooks. Throws with Helm's output if it rejects the values. */
  render(values: Values): Manifest[];
  /** Returns the output of `helm lint --strict` for the values. Throws in the same way. */
  lint(values: Values): string;
  dispose(): void;
}

export function openHelm(): Helm {
  // Within node_modules, so that the compiler resolves types from there.
  const folder = mkdtempSync(join(root, 'node_modules/.cache/helm-'));
  const binary = join(folder, 'helm');
  const layer = createRequire(import.meta.url).resolve('@aws-cdk/asset-kubectl-v20');
  const files = unzipSync(readFileSync(join(dirname(layer), 'layer.zip')), {
    filter: ({ name }) => name === 'helm/helm',
  });
  writeFileSync(binary, files['helm/helm'] ?? '');
  chmodSync(binary, 0o755);

  function helm(args: string[], values: Values): string {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const { status, stdout, stderr } = spawnSync(binary, [...args, '--values', file], {
      encoding: 'utf8',
      env: { HOME: folder },
    });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return stdout;
  }

  return {
    render: (values) => {
      const text = helm(['template', 'release', CHART, '--kube-version', '1.30.0'], values);
      return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
    },
    lint: (values) => helm(['lint', CHART, '--strict'], values),
    dispose: () => rmSync(folder, { recursive: true }),
  };
}

/** Returns the errors that Kubernetes' API types report in manifests: unknown or missing fields, or wrong types. */
export function typeErrors(manifests: readonly unknown[]): string {
  const folder = mkdtempSync(join(root, 'node_modules/.cache/manifests-'));
  try {
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, (manifests as Manifest[]).map(asTypedConstant).join('\n'));
    const { status, stdout } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--ignoreConfig',
        '--types',
        '',
        '--moduleResolution',
        'bundler',
        file,
      ],
      { encoding: 'utf8' },
    );
    return status === 0 ? '' : stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function asTypedConstant(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest;
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const module = `kubernetes-types/${group.replace(/\.k8s\.io$/, '')}/${version}`;
  return `export const manifest${index}: import('${module}').${kind} = ${JSON.stringify(manifest)};`;
}

/** Whether the program has the command that a container runs. */
export function knowsCommand(args: readonly string[]): boolean {
  const options = args.findIndex((arg) => arg.startsWith('-'));
  const words = options === -1 ? args : args.slice(0, options);
  const program = join(root, 'packages/cli/bin/bindery.js');
  const help = execFileSync(process.execPath, [program, ...args, '--help'], { encoding: 'utf8' });
  return help.startsWith(`Usage: bindery ${words.join(' ')} [options]\n`);
}
