import { append } from '../files/file-index.ts';
import { decodeText } from '../files/text.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import { memoised } from '../memoised.ts';
import { type ByteSource, FBX_HEAD, isBinaryFbx, readBinaryFbx } from './binary.ts';
import {
  type FbxBytes,
  type FbxFile,
  type FbxRecord,
  type FbxValue,
  isFbxArray,
  numberOf,
  recordNamed,
  textAt,
} from './record.ts';
import { isTextFbx, readTextFbx } from './text.ts';

/** The oldest version whose objects and connections are written as they are today. */
const OLDEST = 6000;

/** Something in an FBX file: a node (`Model`), a `Geometry`, a `Material`. */
export interface FbxObject {
  readonly id: string;
  readonly type: string;
  readonly subtype: string;
  readonly name: string;
  readonly record: FbxRecord;
}

/** What is connected to an object, and to which of its properties, if that is said. */
export interface FbxConnection {
  readonly object: FbxObject;
  readonly property: string | undefined;
}

type Properties = ReadonlyMap<string, readonly FbxValue[]>;

/** The objects of an FBX file, in any version since 6.0, and the connections between them. */
export class FbxDocument {
  readonly version: number;
  /** The program that wrote it. */
  readonly creator: string;
  readonly objects: ReadonlyMap<string, FbxObject>;
  readonly #connections = new Map<string, FbxConnection[]>();
  readonly #targets = new Map<string, { id: string; property: string | undefined }[]>();
  readonly #defaults: ReadonlyMap<string, Properties>;
  readonly #settings: Properties;

  constructor({ version, records }: FbxFile) {
    if (version < OLDEST)
      throw new UnreadableFileError(
        `is of version ${(version / 1000).toFixed(1)}, which is too old to be read`,
      );
    this.version = version;
    this.creator = textAt(recordNamed(records, 'Creator'));
    const listed = recordNamed(records, 'Objects');
    if (listed === undefined) throw new UnreadableFileError('has no objects');
    this.objects = objectsIn(listed);
    this.#defaults = templatesIn(recordNamed(records, 'Definitions'));
    const settings = recordNamed(records, 'GlobalSettings') ?? recordNamed(listed.children, 'GlobalSettings');
    this.#settings = propertiesOf(settings);
    for (const { values } of recordNamed(records, 'Connections')?.children ?? []) this.#connect(values);
  }

  /** What is connected to an object, in the order of the file. */
  connectedTo({ id }: FbxObject, type?: string): readonly FbxConnection[] {
    const all = this.#connections.get(id) ?? [];
    return type === undefined ? all : all.filter(({ object }) => object.type === type);
  }

  /** The objects that an object is connected to. */
  ownersOf(object: FbxObject): FbxObject[] {
    return this.targetsOf(object).map((target) => target.object);
  }

  /** What an object is connected to, and to which of its properties. */
  targetsOf({ id }: FbxObject): FbxConnection[] {
    return (this.#targets.get(id) ?? []).flatMap((target) => {
      const object = this.objects.get(target.id);
      return object === undefined ? [] : { object, property: target.property };
    });
  }

  ofType(type: string): FbxObject[] {
    return [...this.objects.values()].filter((object) => object.type === type);
  }

  /** The values of a property, by default those that the file states for all objects of the type. */
  property(object: FbxObject, name: string): readonly FbxValue[] | undefined {
    return this.own(object, name) ?? this.#defaults.get(object.type)?.get(name);
  }

  /** The values of a property that the object has itself. */
  own(object: FbxObject, name: string): readonly FbxValue[] | undefined {
    return this.#properties(object).get(name);
  }

  /** The names of the properties that an object has itself. */
  namesOf(object: FbxObject): string[] {
    return [...this.#properties(object).keys()];
  }

  readonly #properties = memoised(({ record }: FbxObject) => propertiesOf(record));

  /** A setting of the whole file. */
  setting(name: string, otherwise: number): number {
    const value = numberOf(this.#settings.get(name)?.[0]);
    return Number.isFinite(value) ? value : otherwise;
  }

  /** `"OO", child, parent` or `"OP", child, parent, property`; before 7.0 by names. */
  #connect([kind, child, parent, property]: readonly FbxValue[]): void {
    const object = this.objects.get(String(child));
    if (object === undefined || (kind !== 'OO' && kind !== 'OP')) return;
    const named = kind === 'OP' && typeof property === 'string' ? property : undefined;
    append(this.#targets, object.id, { id: String(parent), property: named });
    append(this.#connections, String(parent), { object, property: named });
  }
}

/** Reads an FBX file, binary or text. `admit` is called for each record with its depth, and may throw. */
export function readFbx(source: ByteSource, admit: (depth: number) => void = admitNested): FbxDocument {
  if (isBinaryFbx(source.part(0, FBX_HEAD))) return new FbxDocument(readBinaryFbx(source, admit));
  const text = decodeText(source.part(0, source.size));
  if (!isTextFbx(text.slice(0, 4_096))) throw new UnreadableFileError('does not begin as FBX does');
  return new FbxDocument(readTextFbx(text, admit));
}

const MAX_DEPTH = 100;

function admitNested(depth: number): void {
  if (depth > MAX_DEPTH) throw new UnreadableFileError('has records that are nested too deep');
}

/** Since 7.0 an object has a number, a name and a subtype, before that a name and a subtype. */
function objectsIn(listed: FbxRecord): ReadonlyMap<string, FbxObject> {
  const objects = new Map<string, FbxObject>();
  for (const record of listed.children) {
    const { values } = record;
    const isNumbered = typeof values[0] !== 'string';
    const id = String(values[0] ?? '');
    const at = isNumbered ? 1 : 0;
    if (objects.has(id)) continue;
    const name = plainName(textAt(record, at));
    objects.set(id, { id, type: record.name, subtype: textAt(record, at + 1), name, record });
  }
  return objects;
}

/** Binary files write `Cube␀␁Model`, text files `Model::Cube`. */
function plainName(written: string): string {
  const end = written.indexOf('\0\x01');
  return end >= 0 ? written.slice(0, end) : written.slice(written.indexOf('::') + 1).replace(/^:/, '');
}

function templatesIn(definitions: FbxRecord | undefined): ReadonlyMap<string, Properties> {
  const types = definitions?.children.filter(({ name }) => name === 'ObjectType') ?? [];
  return new Map(
    types.map((type) => [textAt(type), propertiesOf(recordNamed(type.children, 'PropertyTemplate'))]),
  );
}

/** A property is a name, a type, a label (since 7.0), flags and values. */
function propertiesOf(record: FbxRecord | undefined): Properties {
  const list = recordNamed(record?.children, 'Properties70', 'Properties60');
  const head = list?.name === 'Properties60' ? 3 : 4;
  return new Map(list?.children.map((one) => [textAt(one), one.values.slice(head)]));
}

/** The picture of a texture: what the file calls it, and its bytes if the file has them. */
export interface FbxPicture {
  /** A path, mostly on the machine of the author. */
  readonly reference: string;
  readonly content: FbxBytes | undefined;
}

/** Returns the picture of a `Texture`; undefined if it names none. */
export function pictureOf(document: FbxDocument, texture: FbxObject): FbxPicture | undefined {
  const videos = document.connectedTo(texture, 'Video').map(({ object }) => object.record);
  const content = videos.map(contentOf).find((bytes) => bytes !== undefined);
  const reference = [texture.record, ...videos]
    .flatMap(({ children }) => [
      textAt(recordNamed(children, 'RelativeFilename')),
      textAt(recordNamed(children, 'FileName', 'Filename')),
    ])
    .find((name) => name.trim() !== '');
  return reference === undefined && content === undefined
    ? undefined
    : { reference: reference ?? texture.name, content };
}

/** The pictures that a surface uses, and that are not in the file itself: their paths. */
export function texturesOf(document: FbxDocument): string[] {
  const used = document.ofType('Texture').filter((texture) => document.ownersOf(texture).length > 0);
  const pictures = used.map((texture) => pictureOf(document, texture));
  return [
    ...new Set(
      pictures.flatMap((one) => (one === undefined || one.content !== undefined ? [] : one.reference)),
    ),
  ];
}

/** Bytes, or as text Base64 in one or several parts. */
function contentOf({ children }: FbxRecord): FbxBytes | undefined {
  const values = recordNamed(children, 'Content')?.values ?? [];
  const [first] = values;
  if (typeof first === 'object' && !isFbxArray(first)) return first.byteLength > 0 ? first : undefined;
  const parts = values.filter((value) => typeof value === 'string');
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length === 0
    ? undefined
    : { byteLength: Math.ceil((length * 3) / 4), read: () => fromBase64(parts) };
}

function fromBase64(parts: readonly string[]): Uint8Array {
  try {
    return Uint8Array.from(parts.map((part) => atob(part)).join(''), (character) => character.charCodeAt(0));
  } catch {
    throw new UnreadableFileError('has a picture that cannot be decoded');
  }
}
