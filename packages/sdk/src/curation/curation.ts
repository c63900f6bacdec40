import {
  inputRule,
  manifestAssetFields,
  manifestEntryPoint,
  manifestLibrary,
  vocabularyToken,
} from '@bindery/contract/manifest';
import { LIMITS } from '@bindery/contract/wire';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { CurationError, type FileProblem } from '../failures.ts';
import { globProblem } from '../globs/glob.ts';
import { CHECK_CODES } from './check-codes.ts';

const MAX_PROBLEMS = 20;
/** Aliases can repeat a part; with more copies than this a small file would become a huge document. */
const MAX_ALIAS_COPIES = 100;

/** A parsed `bindery.yml`, with the positions of its values. */
export interface ParsedCuration {
  curation: Curation;
  /** Returns the error to throw if the value at `path` does not fit the folder. */
  errorAt(path: readonly PropertyKey[], message: string): CurationError;
}

/** Parses the text of `bindery.yml`. Throws `CurationError` with the line and column of each problem. */
export function parseCuration(text: string): ParsedCuration {
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  const locate = (path: readonly PropertyKey[], ofKey: boolean) => position(document, lines, path, ofKey);

  const parsed = curation.safeParse(plainValue(document), { error: inputRule });
  if (!parsed.success) throw new CurationError(problemsOf(parsed.error.issues, locate));
  return {
    curation: parsed.data,
    errorAt: (path, message) => new CurationError([{ ...locate(path, false), message }]),
  };
}

type Document = ReturnType<typeof parseDocument>;
type Position = Pick<FileProblem, 'line' | 'column'>;
type Locate = (path: readonly PropertyKey[], ofKey: boolean) => Position;

/** Throws `CurationError` for text that is not YAML. */
export function parseYaml(text: string, lineCounter = new LineCounter()): Document {
  try {
    // The library compares each key with each.
    const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
    const problems = [
      ...document.errors.map(({ message, pos }) => ({ message, offset: pos[0] })),
      ...repeatedKeys(document),
    ];
    if (problems.length === 0) return document;
    throw new CurationError(
      problems.slice(0, MAX_PROBLEMS).map(({ message, offset }) => ({ ...at(lineCounter, offset), message })),
    );
  } catch (error) {
    if (error instanceof RangeError) throw wholeFile('is nested too deeply');
    throw error;
  }
}

function repeatedKeys(document: Document): { message: string; offset: number }[] {
  const problems: { message: string; offset: number }[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          problems.push({ message: 'Map keys must be unique', offset: key.range?.[0] ?? 0 });
        seen.add(key.value);
      }
    },
  });
  return problems;
}

/** Throws `CurationError` for aliases that repeat too much. */
export function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIAS_COPIES }) ?? {};
  } catch (error) {
    throw wholeFile(error instanceof Error ? error.message : String(error));
  }
}

function wholeFile(message: string): CurationError {
  return new CurationError([{ line: 1, column: 1, message }]);
}

function problemsOf(issues: readonly z.core.$ZodIssue[], locate: Locate): FileProblem[] {
  const problems = issues.slice(0, MAX_PROBLEMS).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ({
        ...locate([...issue.path, key], true),
        message: `unknown key ${JSON.stringify(key)}${inPlace(issue.path)}`,
      }));
    }
    if (issue.code === 'invalid_key') {
      const reasons = issue.issues.map(({ message }) => message).join('; ');
      return [{ ...locate(issue.path, true), message: `${JSON.stringify(issue.path.at(-1))}: ${reasons}` }];
    }
    return [{ ...locate(issue.path, false), message: `${dotted(issue.path)}: ${issue.message}` }];
  });
  return problems.slice(0, MAX_PROBLEMS);
}

function inPlace(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : ` in ${dotted(path)}`;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the document' : path.map(String).join('.');
}

/** Returns the position of a value or of its key; if an alias hides it, that of the nearest node above. */
function position(
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
  ofKey: boolean,
): Position {
  for (let length = path.length; length > 0; length--) {
    const steps = path.slice(0, length);
    const node = ofKey && length === path.length ? keyNode(document, steps) : document.getIn(steps, true);
    if (isNode(node) && node.range) return at(lines, node.range[0]);
  }
  return { line: 1, column: 1 };
}

function keyNode(document: Document, path: readonly PropertyKey[]): unknown {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  const key = String(path.at(-1));
  return parent.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)?.key;
}

function at(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

const glob = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const message = globProblem(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
const globs = z.array(glob);
const { title, description, category, tags, license, attribution, kind, format, entry, thumbnail } =
  manifestAssetFields.shape;

const curatedAsset = z.strictObject({
  title,
  description,
  category,
  tags,
  license,
  attribution,
  kind,
  format,
  entry,
  entryPoints: z.record(z.string().min(1).max(64), manifestEntryPoint).optional(),
  thumbnail,
  meta: z
    .record(z.string(), z.json())
    .refine(
      (meta) => new TextEncoder().encode(JSON.stringify(meta)).byteLength <= LIMITS.manifest.metaBytes,
      {
        error: `at most ${LIMITS.manifest.metaBytes} bytes as JSON`,
      },
    )
    .optional(),
  files: globs.min(1, { error: 'at least one glob' }).optional(),
});
/** What the author states about one asset; what is absent is discovered. */
export type CuratedAsset = z.infer<typeof curatedAsset>;

/** The whole of `bindery.yml`. Globs and paths are relative to its folder. */
const curation = z.strictObject({
  /** The library block of the manifest. */
  library: manifestLibrary.optional(),
  discover: z
    .strictObject({
      /** Each folder or file that matches is an asset. By default assets are found. */
      assets: globs.optional(),
      /** What is not part of the library. */
      exclude: globs.optional(),
    })
    .optional(),
  /** Used for assets that do not state their own; `tags` are added to theirs. */
  defaults: z
    .strictObject({ category: vocabularyToken.optional(), license: manifestLibrary.shape.license, tags })
    .optional(),
  /** Codes of findings of `bindery library check` that are intended. */
  check: z.strictObject({ accept: z.array(z.enum(CHECK_CODES)).optional() }).optional(),
  /** By id. An asset with `files` claims them, wherever they are. */
  assets: z.record(manifestAssetFields.shape.id, curatedAsset).optional(),
});
export type Curation = z.infer<typeof curation>;
