import { hash } from 'node:crypto';
import {
  certificatePath,
  composeManifest,
  DESCRIPTOR_BYTES,
  DESCRIPTOR_VERSION,
  LIMITS,
  MANIFEST_SCHEMA,
  type Manifest,
  type ManifestAsset,
  type ManifestChanges,
  type ManifestFile,
  manifestText,
  validateManifest,
} from '@bindery/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SpliceOutcome } from '../../src/libraries/publish/revision-workers.ts';
import { spliceRevision } from '../../src/libraries/publish/worker/splice-revision.ts';
import { packList } from '../../src/process/packed-list.ts';
import { ENCODER, encodeRevisionIndex } from '../../src/revision/encode-index.ts';
import type { LocalFiles } from '../../src/revision/local-files.ts';
import { decodeSections, joinSections, type Sections } from '../../src/revision/sections.ts';
import { encodeTextColumn } from '../../src/revision/text-column.ts';

const COUNT = 260;
/** A few letters, so that many words share their beginnings, and forms of one word. */
const WORDS =
  'arm arms armed arming arm-2 Arms ärme gripper grippers gripping grip gear gears geared Robot robots hand handled end-effector wx250s 机器人'.split(
    ' ',
  );

const file = (path: string, text: string): ManifestFile => ({
  path,
  size: text.length,
  sha256: hash('sha256', text),
});

const word = (number: number) => WORDS[number % WORDS.length] as string;
const phrase = (number: number, length: number) =>
  Array.from({ length }, (_, at) => word(number * (at + 3) + at * at)).join(' ');

/** Asset `number` in one of many variants. */
function assetOf(number: number, variant: number): ManifestAsset {
  const id = `${word(number).replaceAll(/[^a-zA-Z0-9-]/g, 'x')}_${number}`;
  const files = Array.from({ length: 1 + (variant % 3) }, (_, at) =>
    file(`${id}/part-${at}.stl`, `${id} ${variant} ${at}`),
  );
  const shared = file(`shared/${number % 5}.png`, `shared ${number % 5}`);
  const statistics = {
    ...(variant % 4 === 1 && { triangles: 100 * variant, size: [1, 2, variant], textures: variant % 2 }),
    ...(variant % 5 === 2 && { mass: variant / 10, joints: variant, bodies: 3 }),
    ...(variant % 3 === 1 && { descriptor: descriptorOf(number + variant) }),
    ...(variant % 6 === 4 && { hands: ['left', 'right'].slice(number % 2).map(handOf) }),
  };
  return {
    id,
    ...(variant % 7 !== 3 && { title: phrase(number + variant, 1 + (variant % 3)) }),
    ...(variant % 6 !== 5 && {
      description: `${variant % 9 === 8 ? '' : 'A part of many sets of parts: '}${phrase(number * 7 + variant, 4 + (variant % 9))}.`,
    }),
    ...(variant % 5 !== 0 && { category: ['arm', 'hand', 'head'][variant % 3] }),
    ...(variant % 4 !== 0 && { kind: ['mesh', 'urdf'][variant % 2] }),
    ...(variant % 3 !== 0 && { format: ['stl', 'dae', 'glb'][(number + variant) % 3] }),
    tags: Array.from({ length: variant % 4 }, (_, at) => word(variant + at + number)),
    ...(variant % 6 === 1 && { license: ['MIT', 'mit', 'CC-BY-4.0'][variant % 3] }),
    ...(variant % 4 === 3 && { attribution: ['Ann Lee', 'ann lee', 'ANN LEE, Bob Roe'][number % 3] }),
    ...(variant % 8 === 4 && { upstream: { id: `upstream-${variant}`, url: 'https://example.org' } }),
    entry: (files[0] as ManifestFile).path,
    ...(variant % 5 === 4 && { entryPoints: { [word(variant)]: { file: (files[0] as ManifestFile).path } } }),
    ...(Object.keys(statistics).length > 0 && { meta: { statistics, list: [{ id: 'x' }, { id: `${id}` }] } }),
    files: variant % 2 === 0 ? [...files, shared] : files,
  };
}

function descriptorOf(number: number, of: 'model' | 'hand' = 'model'): string {
  return `${DESCRIPTOR_VERSION}:${Buffer.alloc(DESCRIPTOR_BYTES[of], number).toString('base64')}`;
}

const handOf = (name: string) => ({ name, shape: descriptorOf(name.length, 'hand') });

interface Revision {
  manifest: Manifest;
  /** The stored artifacts. */
  artifacts: ReadonlyMap<string, ManifestFile>;
}

type Encoded = { text: string; index: Uint8Array; sections: Sections };

function encode({ manifest, artifacts }: Revision): Encoded {
  const text = manifestText(manifest);
  const verdict = validateManifest(Buffer.from(text));
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.issues[0]));
  const stored = [...artifacts.values()].sort((a, b) =>
    Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
  );
  const sections = encodeRevisionIndex(verdict, stored);
  return { text, sections, index: joinSections(sections) };
}

interface Change {
  number: number;
  variant: number;
  what: 'asset' | 'removed' | 'thumbnail' | 'no thumbnail' | 'certificate' | 'no certificate';
}

const changes = fc.uniqueArray(
  fc.record<Change>({
    number: fc.integer({ min: 0, max: COUNT + 6 }),
    variant: fc.integer({ min: 0, max: 40 }),
    what: fc.constantFrom(
      'asset',
      'asset',
      'asset',
      'removed',
      'thumbnail',
      'no thumbnail',
      'certificate',
      'no certificate',
    ),
  }),
  { minLength: 1, maxLength: 12, selector: ({ number }) => number },
);

/** Returns what clients send for some changes. */
function changesOf({ manifest }: Revision, wanted: readonly Change[]) {
  const assets: ManifestAsset[] = [];
  const removed: string[] = [];
  const generated = { added: [] as string[], removed: [] as string[] };
  const artifacts: ManifestFile[] = [];
  const put = (path: string, text: string) => {
    artifacts.push(file(path, text));
    generated.added.push(path);
  };
  for (const { number, variant, what } of wanted) {
    const { id } = assetOf(number, 0);
    const current = manifest.assets.find((asset) => asset.id === id);
    const thumbnail = `.bindery/thumbs/${id}.webp`;
    const certificate = certificatePath(id);
    if (what === 'asset') {
      assets.push(assetOf(number, variant));
      generated.removed.push(thumbnail);
    } else if (current === undefined) continue;
    else if (what === 'removed') {
      removed.push(id);
      generated.removed.push(thumbnail, certificate);
    } else if (what === 'thumbnail') {
      assets.push({ ...current, thumbnail });
      put(thumbnail, `${variant}`);
    } else if (what === 'no thumbnail') {
      const { thumbnail: _, ...rest } = current;
      assets.push(rest);
      generated.removed.push(thumbnail);
    } else if (what === 'certificate') put(certificate, `${variant}`);
    else generated.removed.push(certificate);
  }
  return { changes: { assets, removed, generated }, artifacts };
}

/** The revision after changes. */
function after(
  { manifest, artifacts }: Revision,
  changes: Omit<ManifestChanges, 'base'>,
  named: readonly ManifestFile[],
): Revision {
  const next = composeManifest(manifest, { base: '', ...changes });
  const known = new Map([...artifacts, ...named.map((one) => [one.path, one] as const)]);
  const declared = (next.generated ?? []).flatMap((path) => known.get(path) ?? []);
  return { manifest: next, artifacts: new Map(declared.map((one) => [one.path, one])) };
}

function splice(
  before: { text: string | Uint8Array; index: Uint8Array },
  changes: Omit<ManifestChanges, 'base'>,
  artifacts: readonly ManifestFile[],
  expected: string,
  intact = before.index,
): SpliceOutcome {
  const stored: Record<string, Uint8Array> = { manifest: Buffer.from(before.text), index: before.index };
  const named = (name: string, bytes = stored[name]) => ({
    file: name,
    sha256: hash('sha256', bytes as Uint8Array),
  });
  return spliceRevision({ read: (name: string) => stored[name] } as LocalFiles, {
    manifest: { ...named('manifest'), size: before.text.length },
    index: named('index', intact),
    changes: { base: named('manifest').sha256, ...changes },
    sha256: hash('sha256', expected),
    artifacts: packList(artifacts),
    cover: null,
  });
}

const FIRST: Revision = after(
  {
    manifest: { schema: MANIFEST_SCHEMA, library: { title: 'Parts', license: 'MIT' }, assets: [] },
    artifacts: new Map(),
  },
  {
    assets: Array.from({ length: COUNT }, (_, number) => ({
      ...assetOf(number, number),
      ...(number % 4 === 0 && { thumbnail: `.bindery/thumbs/${assetOf(number, 0).id}.webp` }),
    })),
    generated: {
      added: Array.from({ length: COUNT }, (_, number) => assetOf(number, 0).id).flatMap((id, number) => [
        ...(number % 4 === 0 ? [`.bindery/thumbs/${id}.webp`] : []),
        ...(number % 9 === 0 ? [certificatePath(id)] : []),
      ]),
    },
  },
  Array.from({ length: COUNT }, (_, number) => assetOf(number, 0).id).flatMap((id) => [
    file(`.bindery/thumbs/${id}.webp`, id),
    file(certificatePath(id), id),
  ]),
);

/** Where two indexes differ, by section. */
function differing(one: Sections, other: Sections): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const bytes = (sections: Sections, name: string) => {
    const section = sections[name];
    return section && Buffer.from(section.buffer as ArrayBuffer, section.byteOffset, section.byteLength);
  };
  return [...names].filter((name) => !bytes(one, name)?.equals(bytes(other, name) ?? Buffer.of(1)));
}

test('a spliced revision has the bytes of one that is built as a whole, whatever changed before', () => {
  let [spliced, total] = [0, 0];
  fc.assert(
    fc.property(fc.array(changes, { minLength: 3, maxLength: 3 }), (steps) => {
      let before = FIRST;
      let stored = encode(before);
      for (const step of steps) {
        const { changes, artifacts } = changesOf(before, step);
        const next = after(before, changes, artifacts);
        const expected = encode(next);
        const outcome = splice(stored, changes, artifacts, expected.text);
        total += 1;
        if (outcome.kind === 'spliced') {
          spliced += 1;
          expect(Buffer.from(outcome.manifest).toString()).toBe(expected.text);
          expect(differing(decodeSections(outcome.revision.index), expected.sections)).toEqual([]);
          expect(Buffer.from(outcome.revision.index).equals(expected.index)).toBe(true);
          stored = { ...expected, index: outcome.revision.index };
        } else stored = expected;
        before = next;
      }
    }),
    { numRuns: 40 },
  );
  expect(spliced / total).toBeGreaterThan(0.9);
});

describe('is left to a build as a whole', () => {
  const { changes, artifacts } = changesOf(FIRST, [{ number: 7, variant: 9, what: 'asset' }]);
  const next = after(FIRST, changes, artifacts);
  const first = encode(FIRST);
  const { text } = encode(next);
  const kindOf = (before: { text: string; index: Uint8Array }, more: Partial<ManifestChanges> = {}) => {
    const all = { ...changes, ...more };
    const made = manifestText(composeManifest(JSON.parse(before.text), { base: '', ...all }));
    return splice(before, all, artifacts, made).kind;
  };
  const withSections = (sections: Sections) => ({
    text: first.text,
    index: joinSections({ ...first.sections, ...sections }),
  });

  test('what is not written as clients write it', () => {
    expect(kindOf(first)).toBe('spliced');
    const { assets, ...rest }: Manifest = JSON.parse(first.text);
    expect(kindOf({ ...first, text: JSON.stringify({ ...rest, assets }, null, 1) })).toBe('whole');
    expect(kindOf({ ...first, text: JSON.stringify({ ...rest, assets: assets.toReversed() }) })).toBe(
      'whole',
    );
    expect(kindOf({ ...first, text: JSON.stringify({ assets, ...rest }) })).toBe('whole');
    const idLast = assets.map(({ id, ...others }) => ({ ...others, id }));
    expect(kindOf({ ...first, text: manifestText({ ...rest, assets: idLast }) })).toBe('whole');
    const escaped = first.text.replace('"id":"arm_', '"id":"\\u0061rm_');
    expect(escaped).not.toBe(first.text);
    expect(kindOf({ ...first, text: escaped })).toBe('whole');
  });

  test('what makes another manifest than the client says', () => {
    expect(splice(first, changes, artifacts, `${text} `).kind).toBe('whole');
    expect(kindOf(first, { library: { title: 'Others' } })).toBe('whole');
  });

  test('an index of another release, or a damaged one', () => {
    const other = encodeTextColumn(ENCODER, ['0.0.1']);
    expect(kindOf(withSections(other))).toBe('whole');
    const older = Object.entries(first.sections).filter(([name]) => !/^(encoder|words)/.test(name));
    expect(kindOf({ ...first, index: joinSections(Object.fromEntries(older)) })).toBe('whole');
    const job = { ...first, index: first.index.slice(0, -8) };
    expect(splice(job, changes, artifacts, text, first.index).kind).toBe('whole');
  });

  test('what would be refused', () => {
    const only = (asset: ManifestAsset, more: Partial<ManifestChanges> = {}) =>
      kindOf(first, { assets: [asset], ...more });
    const own = { id: 'new', files: [file('new/part.stl', 'new')] };
    expect(only(own)).toBe('spliced');
    const [known] = FIRST.manifest.assets[0]?.files ?? [];
    const path = known?.path ?? '';
    expect(only({ ...own, files: [file(path, 'another content')] })).toBe('whole');
    expect(only({ ...own, files: [known as ManifestFile] })).toBe('spliced');
    expect(only({ ...own, files: [file(`${path}/inside.stl`, 'inside')] })).toBe('whole');
    expect(only({ ...own, files: [file(path.slice(0, path.indexOf('/')), 'a folder')] })).toBe('whole');
    expect(only({ ...own, files: [file('../part.stl', 'outside')] })).toBe('whole');
    expect(only({ ...own, files: [] })).toBe('whole');
    expect(only({ ...own, entry: 'elsewhere.stl' })).toBe('whole');
    expect(only({ ...own, title: 'x'.repeat(201) })).toBe('whole');
    const [thumbnail = ''] = FIRST.manifest.generated?.filter((one) => one.endsWith('.webp')) ?? [];
    expect(only(own, { generated: { removed: [thumbnail] } })).toBe('whole');
    expect(only(own, { generated: { added: ['.bindery/never-sent.json'] } })).toBe('whole');
    expect(only(own, { generated: { added: [`${thumbnail}/inside.json`] } })).toBe('whole');
  });

  test('more assets than a manifest may have', () => {
    const assets = Array.from({ length: LIMITS.manifest.assets }, (_, number) => ({
      id: `part-${number}`,
      files: [file('part.stl', 'part')],
    }));
    const manifest = { schema: MANIFEST_SCHEMA, assets } as const;
    const full = encode({ manifest: { ...manifest, assets }, artifacts: new Map() });
    const own = { id: 'new', files: [file('part.stl', 'part')] };
    expect(kindOf(full, { assets: [own] })).toBe('whole');
    expect(kindOf(full, { assets: [own], removed: ['part-0'] })).toBe('spliced');
  });
});
