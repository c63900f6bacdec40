import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddingText, LIMITS } from '@bindery/contract';
import { INCLUDED_MODEL } from '@bindery/encoder';
import { findRevision } from '../../access/libraries.ts';
import type { SearchContext } from '../../context.ts';
import { isSemantic } from '../../libraries/read/library.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { type OpenedRevision, openRevision, unlessContentLost } from '../../objects/open-revision.ts';
import { queueForSearch } from '../../outbox/queue-event.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import type { EncodingFailure } from '../encoder.ts';
import { type DerivedKey, derivedVersion, type VectorDraft } from './derived-vectors.ts';

/** Items that are encoded before the model rests. */
const BATCH = { text: 32, image: 8 } as const;

/** Failures that say nothing about what was to be encoded: another time it may be. */
const TRANSIENT: ReadonlySet<EncodingFailure> = new Set(['missing', 'loading', 'resting', 'busy', 'closed']);

/** Pictures larger than this are none that a search by meaning needs, in bytes. */
const MAX_PICTURE = 16 * 2 ** 20;

/**
 * Makes the vectors of libraries that have none of the service's model, from the thumbnails of their assets or, if the
 * model encodes no pictures or there are none, from their texts. What is unchanged since another revision is taken over
 * from there. Continues where it was interrupted. If nobody named the model, only the included one makes any, which is quick.
 * @param failed the indexes of revisions whose content is lost, which are added to it and left out
 */
export async function deriveVectors(
  context: SearchContext,
  isStopped: () => boolean,
  failed: Set<string> = new Set(),
): Promise<void> {
  const { db, encoder, derivedVectors, configuration } = context;
  const { model, facts } = encoder;
  if (model === null || facts === null) return;
  const version = derivedVersion(facts);
  const libraries = await db
    .selectFrom('libraries')
    .select(['id', 'store_id as storeId', 'index_sha256 as indexSha256', 'vectors_model', 'vectors_dim'])
    .where('state', '=', 'active')
    .orderBy('id')
    .execute();
  const ofAll = configuration.derivesVectors !== 'embedded';
  if (!ofAll && model !== INCLUDED_MODEL) return;
  const lacking = libraries.filter(
    (library) => !isSemantic(model, library) && (ofAll || library.vectors_model !== null),
  );
  const keep = () => derivedVectors.keepOnly(lacking.map((library) => ({ ...library, version })));
  for (const library of lacking) {
    if (failed.has(library.indexSha256) || derivedVectors.find({ ...library, version }) !== null) continue;
    if (!derivedVectors.hasRoom()) await keep();
    if (!derivedVectors.hasRoom()) return;
    const outcome = await unlessContentLost(deriveLibrary(context, { ...library, version }, isStopped));
    if (outcome === 'interrupted') return;
    if (outcome === null) failed.add(library.indexSha256);
    else await queueForSearch(context, db, library.id);
  }
  await keep();
}

async function deriveLibrary(
  context: SearchContext,
  { id, ...key }: DerivedKey & { id: string },
  isStopped: () => boolean,
): Promise<'done' | 'interrupted'> {
  const row = await findRevision(context.db, { id });
  if (row?.state !== 'active') return 'done';
  const opened = await openRevision(context, row);
  // A revision that was published meanwhile has its turn next time.
  if (opened.row.index_sha256 !== key.indexSha256) return 'done';
  const since = performance.now();
  const draft = await context.derivedVectors.openDraft(key);
  try {
    const made = await fill(context, draft, opened, { version: key.version, isStopped });
    if (made === null) return 'interrupted';
    const seconds = Math.round((performance.now() - since) / 1_000);
    context.log.info({ library: id, assets: made, seconds }, 'vectors of a library were made here');
    return 'done';
  } finally {
    await draft.close();
  }
}

/** What the vector of an asset is made of. */
interface Input {
  sha256: string;
  /** Null if it cannot be read, or not be encoded. */
  load(): Promise<string | Uint8Array | null>;
}

/** Returns how many assets were considered; null if it was interrupted. */
async function fill(
  context: SearchContext,
  draft: VectorDraft,
  { row, index }: OpenedRevision,
  { version, isStopped }: { version: string; isStopped: () => boolean },
): Promise<number | null> {
  const side = context.encoder.facts?.encodesImages && hasThumbnails(index) ? 'image' : 'text';
  const commonTags = await commonTagsOf(index);
  const assets: { id: string; input: string }[] = [];
  let waiting: Input[] = [];
  const encodeWaiting = async () => {
    const batch = waiting;
    waiting = [];
    return encode(context, draft, batch, version);
  };
  for (let asset = 0; asset < index.assetCount; asset++) {
    if (isStopped()) return null;
    const input =
      side === 'image' ? pictureOf(context, row.store_id, index, asset) : textOf(index, asset, commonTags);
    if (input === null) continue;
    assets.push({ id: index.assetId(asset), input: input.sha256 });
    if (!(await draft.has(input.sha256))) waiting.push(input);
    if (waiting.length === BATCH[side] && !(await encodeWaiting())) return null;
    if (turnIsOver()) await nextTurn();
  }
  if (!(await encodeWaiting())) return null;
  await draft.finish(assets, side);
  return assets.length;
}

/** Returns false if the model cannot encode now. Rests as long as it worked, so that others find a processor free. */
async function encode(
  { encoder, log }: SearchContext,
  draft: VectorDraft,
  inputs: readonly Input[],
  version: string,
): Promise<boolean> {
  const since = performance.now();
  const loaded: { sha256: string; content: string | Uint8Array }[] = [];
  for (const { sha256, load } of inputs) {
    const content = await load();
    if (content !== null) loaded.push({ sha256, content });
  }
  if (loaded.length === 0) return true;
  const texts = loaded.map(({ content }) => content).filter((content) => typeof content === 'string');
  const pictures = loaded.map(({ content }) => content).filter((content) => typeof content !== 'string');
  const encoded =
    texts.length > 0 ? await encoder.encodeTexts(texts) : await encoder.encodePictures(pictures);
  if (!encoded.ok) {
    if (TRANSIENT.has(encoded.failure)) return false;
    log.warn({ reason: encoded.reason, items: inputs.length }, 'vectors of some assets cannot be made');
    return true;
  }
  if (derivedVersion(encoded) !== version) return false;
  for (const [at, vector] of encoded.vectors.entries()) {
    if (vector) await draft.add((loaded[at] as { sha256: string }).sha256, vector);
  }
  await sleep(performance.now() - since);
  return true;
}

/**
 * The text of an asset, with its id for a missing title, names in words, and without the tags that most assets of the
 * library have: these say nothing about it.
 */
function textOf(index: RevisionIndex, asset: number, commonTags: ReadonlySet<string>): Input | null {
  const { assetId, title, tags, description } = index.card(asset);
  const text = embeddingText({
    title: inWords(title ?? assetId.replace(/\.\w+$/, '')),
    tags: tags.filter((tag) => !commonTags.has(tag)).map(inWords),
    description,
  });
  if (text === null) return null;
  const cut = [...text].slice(0, LIMITS.embedding.textLength).join('');
  const sha256 = createHash('sha256').update(cut).digest('hex');
  return { sha256, load: async () => cut };
}

/** `GlamVelvetSofa` and `glam_velvet-sofa` are three words, which a model knows. */
function inWords(name: string): string {
  return name.replaceAll(/[-_./]+/g, ' ').replaceAll(/([a-z]{2})([A-Z][a-z])/g, '$1 $2');
}

/** In a library with fewer assets, a tag of most of them may still tell them from others. */
const SMALLEST_WITH_COMMON_TAGS = 4;

async function commonTagsOf(index: RevisionIndex): Promise<ReadonlySet<string>> {
  const { assetCount } = index;
  const counts = new Map<string, number>();
  for (let asset = 0; asset < assetCount; asset++) {
    for (const tag of index.card(asset).tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    if (turnIsOver()) await nextTurn();
  }
  const common = [...counts].filter(([, count]) => count > assetCount / 2);
  return new Set(assetCount < SMALLEST_WITH_COMMON_TAGS ? [] : common.map(([tag]) => tag));
}

function pictureOf(
  { objects }: SearchContext,
  storeId: string,
  index: RevisionIndex,
  asset: number,
): Input | null {
  const thumbnail = index.thumbnail(asset);
  if (thumbnail === null || thumbnail.size > MAX_PICTURE) return null;
  const { sha256 } = thumbnail;
  return { sha256, load: () => unlessLost(objects.read({ storeId, sha256 })) };
}

function hasThumbnails(index: RevisionIndex): boolean {
  for (let asset = 0; asset < index.assetCount; asset++) if (index.thumbnail(asset) !== null) return true;
  return false;
}
