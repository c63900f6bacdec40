import type { EngineVerdict, MissingFiles } from '@bindery/contract';
import { formatEngineVerdict } from '@bindery/contract/wire';
import { bytesOf, formatBytes } from '../../format-quantities.ts';
import { counted, formatCount } from '../format.ts';

export const assetMessages = {
  open: 'Open',
  kind: 'Kind',
  category: 'Category',
  license: 'Licence',
  noLicense: 'No licence',
  attribution: 'Attribution',
  imported: 'Imported',
  claimed: 'SimReady, as its author says',
  playLive: 'Play in MuJoCo Live',
  upstream: 'Upstream',
  tags: 'Tags',
  entry: 'Main',
  entryPoint: 'Model',
  files: 'Files',
  readme: 'README',
  facts: 'Measures',
  bytes: 'Download',
  amount: (files: readonly { size: number }[]) =>
    `${formatBytes(bytesOf(files))} (${counted(files.length, 'file', 'files')})`,
  oddSize: 'Unusual size',
  oddSizeDetail: 'Is the unit right?',
  derived: 'Derived from its files',
  floating: (joints: string) => `${joints} (floating base)`,
  measures: {
    size: 'W × D × H',
    mass: 'Mass',
    joints: 'Joints',
    triangles: 'Triangles',
    splats: 'Splats',
    pixels: 'Pixels',
  },
  notMeasured: '–',
  missing: ({ total, names }: MissingFiles) => {
    const files = `${formatCount(total)} ${total === 1 ? 'file that it names is' : 'files that it names are'} missing`;
    const more = total > names.length ? ', …' : '';
    return `Incomplete: ${files}${names.length > 0 ? ` (${names.join(', ')}${more})` : ''}.`;
  },
  present: 'Present',
  endPresenting: 'End',
  code: 'QR code of this page',
  cover: 'Use as cover',
  noCover: 'Remove as cover',
  inYourRoom: 'View in your room',
  get: 'Get it',
  embed: 'Embed',
  embedDetail: 'Shows the viewer in another page. Paste this into its HTML:',
  noEmbed: 'This service does not let other sites show its assets.',
  ways: { commandLine: 'Command line', python: 'Python', project: 'Project', zip: 'Download' },
  signInFirst: 'Sign in first, because the library is private',
  signInPython: 'Sign in first: the Python package finds the login of the command line',
  terminal: 'Terminal',
  python: 'Python',
  project: 'Project',
  opens: (path: string) => `Opens with ${path}`,
  projectDetail: 'Run it in the folder of your project. The asset is pinned in assets.lock.',
  install: 'Not installed?',
  installDetail: 'Run this in a clone of Bindery:',
  address: 'Direct link',
  addressPrivate: 'Direct link (the password is an access token)',
  downloadAll: (bytes: number) => `Download all (${formatBytes(bytes)})`,
  downloadAs: 'Download as',
  converting: (format: string) => `Converting to ${format}…`,
  converted: (format: string, losses: string | null) =>
    losses === null ? `Saved as ${format}.` : `Saved as ${format}. Not carried over: ${losses}.`,
  notConverted: (format: string) => `The asset could not be converted to ${format}.`,
  download: (path: string) => `Download ${path}`,
  copyDigest: (shown: string, path: string) => `${shown}: copy the SHA-256 of ${path}`,
  closeFile: (path: string) => `Close ${path}`,
  viewer: (title: string) => `${title} in 3D`,
  linkCopied: 'The link to this view is copied.',
  linkInAddress: 'The link to this view is in the address bar.',
  loading: (bytes: number) => (bytes === 0 ? 'Loading…' : `Loading… ${formatBytes(bytes)}`),
  noViewer: (format: string | null) =>
    format === null
      ? 'No preview. The files are listed below.'
      : `${format} files cannot be previewed. Add an STL or glTF version to show it here.`,
  packing: (done: number, all: number) => `Fetching ${formatBytes(done)} of ${formatBytes(all)}`,
  damaged: (path: string) => `${path} did not match its hash in the library, and was discarded.`,
  notFetched: (path: string) => `${path} could not be fetched.`,
} as const;

export const simulationMessages = {
  heading: 'Simulation',
  passed: 'Passed',
  failed: 'Failed',
  made: (mujoco: string, madeBy: 'publisher' | 'service') =>
    `in MuJoCo ${mujoco}, simulated by ${madeBy === 'publisher' ? 'the publisher' : 'this service'}`,
  rest: 'At rest',
  control: 'Under random control',
  energy: (name: string, joules: number) =>
    `${name}: ${joules < 1e-6 ? 0 : `at most ${Number(joules.toPrecision(2))}`} J`,
  without: (what: string) => `Simulated without ${what}.`,
  engines: 'In other engines',
  verdict: (verdict: EngineVerdict['verdict'], name: string, version: string | undefined) =>
    `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)} in ${[name, version].filter(Boolean).join(' ')}`,
  certificate: 'Certificate',
  engine: (run: EngineVerdict) => {
    const sentence = formatEngineVerdict(run);
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  },
  watch: 'Watch the run',
  run: 'The robot at rest and under random control',
  certify: 'Run simulation test',
  running: 'Simulating…',
} as const;
