import type { MainModule } from '@mujoco/mujoco';
import type { LoadContext } from '../context.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import { decodeXml, parseXml, type XmlElement } from '../files/xml.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { readable, Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import type { Survey } from '../survey.ts';
import { type Element, element, xmlDocument } from '../writing/xml.ts';
import { followMjcf, surveyMjcf } from './survey.ts';

/** A folder in MuJoCo's file system, empty at first. The file system is in memory and has no files of the host. */
export const ASSET_FOLDER = '/asset';

/** Whether a model without some of its textures is read, with white in their place; they are counted as missing. */
export type MissingTextures = 'refused' | 'white';

/** Copies the files of one model, and returns the path of its entry. */
export function copyModelFiles(mujoco: MainModule, entry: string, context: LoadContext): Promise<string> {
  return new ModelFiles(mujoco, context).copy(entry);
}

/** A PNG file of one white pixel. */
const WHITE = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12P4//8/AAX+Av7czFnnAAAAAElFTkSuQmCC',
  ),
  (character) => character.charCodeAt(0),
);

/**
 * Copies models and what they refer to into MuJoCo's file system, each file once: XML in UTF-8, other files as they
 * are. What MuJoCo would look for elsewhere than references resolve to is put where it looks; a path that leads
 * out of the asset is replaced in the copy of the XML.
 */
export class ModelFiles {
  readonly #mujoco: MainModule;
  readonly #context: LoadContext;
  readonly #missingTextures: MissingTextures;
  readonly #documents = new Map<string, string>();
  readonly #surveys = new Map<string, Survey>();
  readonly #written = new Set<string>();

  constructor(mujoco: MainModule, context: LoadContext, missingTextures: MissingTextures = 'refused') {
    this.#mujoco = mujoco;
    this.#context = context;
    this.#missingTextures = missingTextures;
  }

  async copy(entry: string): Promise<string> {
    const { files, omissions } = this.#context;
    if (!files.has(entry)) throw new Unrenderable(`no such file: ${toMessageText(entry)}`);
    await this.#copyDocuments(entry);
    const elsewhere = new Map<string, Map<string, string>>();
    const models = new Set([entry]);
    for (const model of models) {
      const followed = followMjcf(files.index, model, (path) => this.#survey(path, entry));
      for (const { part, reference, resolved, place } of followed) {
        const inside = pathInAsset(place);
        if (reference.role === 'texture') omissions.count('textures', reference.text);
        let copy: string;
        if ('path' in resolved) {
          if (reference.role === 'model') models.add(resolved.path);
          copy = resolved.path;
          await this.#copyTo(inside ?? copy, copy);
        } else if (reference.role === 'texture' && this.#missingTextures === 'white') {
          omissions.omit('textures', reference.text, 'no such file');
          copy = inside ?? 'white.png';
          this.#write(copy, WHITE);
        } else continue;
        if (inside !== undefined) continue;
        const replaced = elsewhere.get(part) ?? new Map<string, string>();
        elsewhere.set(part, replaced.set(reference.text, `${ASSET_FOLDER}/${copy}`));
      }
    }
    for (const [path, replaced] of elsewhere)
      this.#rewrite(path, withFiles(this.#documents.get(path) ?? '', replaced));
    return `${ASSET_FOLDER}/${entry}`;
  }

  /** Has the copies of the models name no plugins. */
  leaveOutPlugins(): void {
    for (const [path, text] of this.#documents) {
      const root = xmlOf(text);
      if (root !== undefined) this.#write(path, xmlDocument(withoutPlugins(root)));
    }
  }

  /** Returns those of some models that another of them includes. Their files must have been copied. */
  includedAmong(entries: readonly string[]): ReadonlySet<string> {
    const { index } = this.#context.files;
    return new Set(
      entries.flatMap((entry) =>
        followMjcf(index, entry, (path) => this.#survey(path, entry)).flatMap(({ reference, resolved }) =>
          reference.role === 'include' && 'path' in resolved ? [resolved.path] : [],
        ),
      ),
    );
  }

  /** Copies all XML files that can be read, whatever refers to them: they are few, and name each other. */
  async #copyDocuments(entry: string): Promise<void> {
    const { files } = this.#context;
    for (const path of files.paths) {
      if ((path !== entry && !/\.(?:xml|mjcf)$/i.test(path)) || this.#documents.has(path)) continue;
      const bytes = await files.read(path);
      const text = path === entry ? readable(() => decodeXml(bytes)) : decoded(bytes);
      if (text === undefined) continue;
      this.#documents.set(path, text);
      this.#write(path, new TextEncoder().encode(text));
    }
  }

  #survey(path: string, entry: string): Survey | undefined {
    const text = this.#documents.get(path);
    if (text === undefined) return undefined;
    let survey = this.#surveys.get(path);
    try {
      survey ??= surveyMjcf(new TextEncoder().encode(text));
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      throw new Unrenderable(toMessageText(path === entry ? error.message : `${path}: ${error.message}`));
    }
    this.#surveys.set(path, survey);
    return survey;
  }

  /** Copies a file to where MuJoCo looks for it, and to its own place, where older versions do. */
  async #copyTo(place: string, path: string): Promise<void> {
    const missing = [...new Set([place, path])].filter((one) => !this.#written.has(one));
    if (missing.length === 0) return;
    const bytes = await this.#bytesOf(path);
    for (const one of missing) this.#write(one, bytes);
  }

  async #bytesOf(path: string): Promise<Uint8Array> {
    const document = this.#documents.get(path);
    if (document !== undefined) return new TextEncoder().encode(document);
    const bytes = await this.#context.files.read(path);
    checkPngSize(bytes, this.#context.budget);
    return bytes;
  }

  #rewrite(path: string, text: string): void {
    this.#documents.set(path, text);
    this.#write(path, new TextEncoder().encode(text));
  }

  #write(path: string, bytes: Uint8Array): void {
    const { FS } = this.#mujoco;
    const full = `${ASSET_FOLDER}/${path}`;
    FS.mkdirTree(full.slice(0, full.lastIndexOf('/')), 0o777);
    FS.writeFile(full, bytes);
    this.#written.add(path);
  }
}

/** Undefined for a document in an encoding that nobody knows. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decodeXml(bytes);
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined;
    throw error;
  }
}

/** Undefined for what is not XML. */
function xmlOf(text: string): XmlElement | undefined {
  try {
    return parseXml(new TextEncoder().encode(text));
  } catch (error) {
    if (error instanceof UnreadableFileError) return undefined;
    throw error;
  }
}

/** What a plugin drives is driven by nothing, under the same name; other plugins, and what configures them, are gone. */
function withoutPlugins({ name, attributes, children }: XmlElement): Element {
  const kept = children.flatMap((child) => {
    if (child.name === 'extension') return [];
    if (child.name !== 'plugin') return withoutPlugins(child);
    if (name !== 'actuator') return [];
    const { plugin: _plugin, instance: _instance, actdim: _states, ...own } = child.attributes;
    return element('general', own);
  });
  return element(name, attributes, kept);
}

/** A place in the asset without `..`; undefined for one that is outside. */
function pathInAsset(place: string): string | undefined {
  if (/^(?:\/|[a-z]:)/i.test(place)) return undefined;
  const kept: string[] = [];
  for (const step of place.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') kept.push(step);
    else if (kept.pop() === undefined) return undefined;
  }
  return kept.join('/');
}

/** A document whose `file` attributes with these values have others. */
function withFiles(xml: string, replaced: ReadonlyMap<string, string>): string {
  return xml.replace(/(\bfile\w*\s*=\s*)(?:"([^"]*)"|'([^']*)')/g, (all, attribute, double, single) => {
    const path = replaced.get(unescaped(double ?? single));
    return path === undefined
      ? all
      : `${attribute}"${path.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(value: string): string {
  return value.replace(/&(amp|lt|gt|quot|apos);/g, (all, name: string) => ENTITIES[name] ?? all);
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Checks the pixel count that a PNG declares before another program decodes it; other bytes pass. */
function checkPngSize(bytes: Uint8Array, budget: Budget): void {
  if (bytes.byteLength < 24 || SIGNATURE.some((value, index) => bytes[index] !== value)) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  budget.check('imagePixels', view.getUint32(16) * view.getUint32(20));
}
