import type { LoadContext } from '../context.ts';
import type { SplatCloud } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { parseJsonObject } from '../reading/json.ts';
import type { Budget } from '../reading/limits.ts';
import { THUMBNAIL_SIZE } from '../reading/limits.ts';
import { SplatCloudBuilder } from './cloud.ts';
import { Sog, type SogRange } from './sog.ts';

/** One for each pixel: a finer level would hardly look different. */
const ENOUGH_SPLATS = THUMBNAIL_SIZE ** 2;

/** `lod-meta.json`, not validated. */
interface LodIndex {
  readonly filenames?: readonly string[];
  readonly tree?: unknown;
}

interface LodNode {
  readonly children?: readonly LodNode[];
  /** The node's splats by level, 0 the finest. */
  readonly lods?: Readonly<Record<string, LodRange>>;
}

interface LodRange {
  readonly file?: number;
  readonly offset?: number;
  readonly count?: number;
}

/** One level of detail: the whole scene, in ranges of SOG files by file index. */
interface Level {
  count: number;
  readonly files: Map<number, SogRange[]>;
}

/** The format has a fixed name for its index. */
export function isLodIndex(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase() === 'lod-meta.json';
}

/**
 * Streamed SOG: a tree of regions whose splats are in SOG files, once for each level of detail. The
 * coarsest level that is enough for a thumbnail is read. The environment around the scene is left out.
 * https://developer.playcanvas.com/user-manual/gaussian-splatting/formats/streamed-sog/
 */
export async function loadStreamedSog(path: string, context: LoadContext): Promise<SplatCloud> {
  const index: LodIndex = parseJsonObject(await context.files.read(path), 'lod-meta.json');
  const level = levelToShow(collectLevels(index.tree, context.budget), context.budget);
  const builder = new SplatCloudBuilder(level.count, context.budget);
  let first = 0;
  for (const [file, ranges] of level.files) {
    const found = context.files.resolve(path, String(index.filenames?.[file] ?? ''));
    if (found === undefined) throw new Unrenderable('a file of the level of detail is missing');
    await (await Sog.open(found, context)).copy(ranges, builder, first);
    first += ranges.reduce((sum, { count }) => sum + count, 0);
  }
  return builder.fromYDown();
}

/** The levels of a tree, the coarsest first. */
function collectLevels(tree: unknown, budget: Budget): Level[] {
  const levels = new Map<number, Level>();
  const nodes = [tree] as (LodNode | null | undefined)[];
  for (const node of nodes) {
    const ranges = Object.entries(node?.lods ?? {});
    budget.spend('nodes', 1 + ranges.length);
    for (const [level, range] of ranges) addRange(levels, Number(level), range);
    if (Array.isArray(node?.children)) for (const child of node.children) nodes.push(child);
  }
  return [...levels].sort(([a], [b]) => b - a).map(([, level]) => level);
}

function addRange(levels: Map<number, Level>, number: number, range: LodRange | null): void {
  const [file, offset, count] = [whole(range?.file), whole(range?.offset), whole(range?.count)];
  const level = levels.get(number) ?? { count: 0, files: new Map<number, SogRange[]>() };
  levels.set(number, level);
  level.count += count;
  const ranges = level.files.get(file) ?? [];
  level.files.set(file, ranges);
  ranges.push({ offset, count });
}

function whole(value: number | undefined): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new Unrenderable('lod-meta.json holds a number that counts nothing');
  return value as number;
}

/** The coarsest level with enough splats, else the finest within the limits, else the coarsest of all. */
function levelToShow(levels: readonly Level[], budget: Budget): Level {
  const drawable = levels.filter(({ count }) => count > 0 && count <= budget.limits.splats);
  const chosen = drawable.find(({ count }) => count >= ENOUGH_SPLATS) ?? drawable.at(-1) ?? levels[0];
  if (chosen === undefined) throw new Unrenderable('lod-meta.json names no level of detail');
  return chosen;
}
