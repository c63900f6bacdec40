import { readFbx } from './fbx/document.ts';
import { type Inflate, isFbxArray, numbersIn, recordNamed } from './fbx/record.ts';
import { parseOffHeader } from './off-header.ts';
import { extensionOf } from './paths.ts';
import { parsePcdHeader } from './pcd-header.ts';
import { type PlyElement, type PlyHeader, parsePlyHeader, SCALAR_BYTES } from './ply-header.ts';
import { STL_FACET_BYTES, STL_HEADER_BYTES, stlLayout } from './stl.ts';
import { UnreadableFileError } from './unreadable.ts';
import { readVrml, vrmlNodes } from './vrml.ts';
import { scanXml } from './xml.ts';

/**
 * Returns why a mesh shows nothing or not all of itself, as a predicate; undefined if nothing is wrong with it. `inflate`
 * is for what is compressed inside of it.
 */
export function meshDamage(path: string, bytes: Uint8Array, inflate: Inflate): string | undefined {
  try {
    switch (extensionOf(path)) {
      case 'stl':
        return stlDamage(bytes);
      case 'obj':
        return objDamage(bytes);
      case 'ply':
        return plyDamage(bytes);
      case 'glb':
      case 'vrm':
        return glbDamage(bytes);
      case 'dae':
        return colladaDamage(bytes);
      case 'wrl':
        return vrmlDamage(bytes);
      case '3mf':
        return zipDamage(bytes);
      case 'fbx':
        return fbxDamage(bytes, inflate);
      case 'pcd':
        return pcdDamage(bytes);
      case 'off':
        return offDamage(bytes);
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof UnreadableFileError) return error.message;
    throw error;
  }
}

const NO_FACES = 'has no faces';
const NO_POINTS = 'has no points';
const NOT_NUMBERS = 'has coordinates that are not numbers';
const CUT = 'is cut off';

function stlDamage(bytes: Uint8Array): string | undefined {
  const layout = stlLayout(bytes, bytes.byteLength);
  if (!layout.binary) {
    const text = new TextDecoder('latin1').decode(bytes);
    if (!/^\s*solid/i.test(text)) return 'is not an STL file';
    // A first line alone stands for a file in examples.
    if (!/\bfacet\b/i.test(text)) return /^solid[^\n]*$/i.test(text) ? undefined : NO_FACES;
    return /\bvertex(?:\s+[-+.\d#e]+){0,2}\s+[-+.\d#]*(?:nan|inf)/i.test(text) ? NOT_NUMBERS : undefined;
  }
  const { facets } = layout;
  if (facets === 0) return NO_FACES;
  const end = STL_HEADER_BYTES + facets * STL_FACET_BYTES;
  if (end > bytes.byteLength) return `announces ${facets} triangles and ends before them`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let facet = STL_HEADER_BYTES; facet < end; facet += STL_FACET_BYTES) {
    for (let at = facet + 12; at < facet + 48; at += 4) {
      if (!Number.isFinite(view.getFloat32(at, true))) return NOT_NUMBERS;
    }
  }
  return undefined;
}

function objDamage(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('latin1').decode(bytes);
  if (!/^[ \t]*[flp][ \t]/m.test(text)) return NO_FACES;
  return /^[ \t]*v[ \t].*\b(?:nan|inf)/im.test(text) ? NOT_NUMBERS : undefined;
}

function plyDamage(bytes: Uint8Array): string | undefined {
  const header = parsePlyHeader(bytes);
  if (!header.elements.some(({ name, count }) => name === 'vertex' && count > 0)) return 'has no vertices';
  return rowDamage(bytes, header);
}

/** Points without a measurement are not numbers. */
function pcdDamage(bytes: Uint8Array): string | undefined {
  const header = parsePcdHeader(bytes);
  if (header.points === 0) return NO_POINTS;
  if (!header.isCompressed) {
    const damage = rowDamage(bytes, header);
    return damage === NOT_NUMBERS ? undefined : damage;
  }
  if (header.bodyStart + 8 > bytes.byteLength) return CUT;
  const packed = new DataView(bytes.buffer, bytes.byteOffset + header.bodyStart).getUint32(0, true);
  return header.bodyStart + 8 + packed > bytes.byteLength ? CUT : undefined;
}

function offDamage(bytes: Uint8Array): string | undefined {
  const { isBinary, vertices, faces, bodyStart } = parseOffHeader(bytes);
  if (faces === 0) return NO_FACES;
  if (isBinary) return bodyStart + vertices * 12 + faces * 8 > bytes.byteLength ? CUT : undefined;
  const body = new TextDecoder('latin1').decode(bytes.subarray(bodyStart));
  let lines = 0;
  for (const _ of body.matchAll(/^[ \t]*[^\s#][^\n]*/gm)) lines++;
  if (lines < vertices + faces) return CUT;
  return /\bnan\b/i.test(body) ? NOT_NUMBERS : undefined;
}

function rowDamage(bytes: Uint8Array, header: PlyHeader): string | undefined {
  return header.format === 'ascii' ? asciiPlyDamage(bytes, header) : binaryPlyDamage(bytes, header);
}

function asciiPlyDamage(bytes: Uint8Array, { elements, bodyStart }: PlyHeader): string | undefined {
  const body = new TextDecoder('latin1').decode(bytes.subarray(bodyStart));
  const rows = elements.reduce((sum, { count }) => sum + count, 0);
  let lines = 0;
  for (const _ of body.matchAll(/\S[^\n]*/g)) lines++;
  if (lines < rows) return CUT;
  return /\bnan\b/i.test(body) ? NOT_NUMBERS : undefined;
}

function binaryPlyDamage(bytes: Uint8Array, header: PlyHeader): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = header.format === 'little';
  let at = header.bodyStart;
  for (const element of header.elements) {
    const end = endOf(view, element, at, little);
    if (end === undefined || end > bytes.byteLength) return CUT;
    if (element.name === 'vertex' && hasNotNumbers(view, element, at, little)) return NOT_NUMBERS;
    at = end;
  }
  return undefined;
}

/** Where the rows of an element end; undefined if the file ends before. */
function endOf(view: DataView, { properties, count }: PlyElement, start: number, little: boolean) {
  if (properties.every(({ countType }) => countType === undefined)) {
    return start + count * properties.reduce((sum, { type }) => sum + SCALAR_BYTES[type], 0);
  }
  let at = start;
  for (let row = 0; row < count; row++) {
    for (const { type, countType } of properties) {
      if (countType === undefined) at += SCALAR_BYTES[type];
      else {
        const size = SCALAR_BYTES[countType];
        if (at + size > view.byteLength) return undefined;
        const length =
          size === 1
            ? view.getUint8(at)
            : size === 2
              ? view.getUint16(at, little)
              : view.getUint32(at, little);
        at += size + length * SCALAR_BYTES[type];
      }
    }
  }
  return at;
}

function hasNotNumbers(view: DataView, { properties, count }: PlyElement, start: number, little: boolean) {
  if (properties.some(({ countType }) => countType !== undefined)) return false;
  const stride = properties.reduce((sum, { type }) => sum + SCALAR_BYTES[type], 0);
  let offset = 0;
  for (const { name, type } of properties) {
    if (/^[xyz]$/.test(name) && /^float/.test(type)) {
      for (let row = 0; row < count; row++) {
        const at = start + row * stride + offset;
        const value = type === 'float32' ? view.getFloat32(at, little) : view.getFloat64(at, little);
        if (!Number.isFinite(value)) return true;
      }
    }
    offset += SCALAR_BYTES[type];
  }
  return false;
}

function glbDamage(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.byteLength >= 12 && view.getUint32(8, true) > bytes.byteLength ? CUT : undefined;
}

const SURFACES = /^(?:triangles|polylist|polygons|trifans|tristrips|lines|linestrips)$/;

/** Files of animations alone have no faces, and need none. */
function colladaDamage(bytes: Uint8Array): string | undefined {
  let hasFaces = false;
  let isAnimation = false;
  scanXml(bytes, {
    open({ name }) {
      if (SURFACES.test(name)) hasFaces = true;
      if (name === 'library_animations' || name === 'library_controllers') isAnimation = true;
    },
  });
  return hasFaces || isAnimation ? undefined : NO_FACES;
}

/** Robots of simulators have their shapes in other files, which they name. */
const VRML_SHOWN = /^(?:Shape|Inline)$/;

function vrmlDamage(bytes: Uint8Array): string | undefined {
  const isShown = [...vrmlNodes(readVrml(bytes))].some(({ type }) => VRML_SHOWN.test(type));
  return isShown ? undefined : 'has no shapes';
}

/** What ends the list of files of a ZIP archive, followed by at most 64 KiB. */
const ZIP_END = [0x50, 0x4b, 0x05, 0x06];
const ZIP_TAIL = 22 + 0xffff;

function zipDamage(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== ZIP_END[0] || bytes[1] !== ZIP_END[1]) return 'is not a 3MF file';
  const tail = bytes.subarray(-ZIP_TAIL);
  return tail.some((_, at) => ZIP_END.every((byte, k) => tail[at + k] === byte)) ? undefined : CUT;
}

/** Larger lists are not looked into. */
const MAX_NUMBERS = 10_000_000;

/** Files of animations alone have no faces, and need none. */
function fbxDamage(bytes: Uint8Array, inflate: Inflate): string | undefined {
  const document = readFbx({
    size: bytes.byteLength,
    part: (start, length) => bytes.subarray(start, start + length),
  });
  let hasFaces = false;
  let isAnimation = false;
  for (const { type, subtype, record } of document.objects.values()) {
    if (type.startsWith('Animation') || /^(?:Nurbs?|Patch|Line)/.test(subtype)) isAnimation = true;
    if (type !== 'Geometry' && type !== 'Model') continue;
    if ((recordNamed(record.children, 'PolygonVertexIndex')?.values.length ?? 0) > 0) hasFaces = true;
    const vertices = recordNamed(record.children, 'Vertices');
    const [packed] = vertices?.values ?? [];
    if (isFbxArray(packed) && packed.length > MAX_NUMBERS) continue;
    if (numbersIn(vertices, inflate).some((value) => !Number.isFinite(value))) return NOT_NUMBERS;
  }
  return hasFaces || isAnimation ? undefined : NO_FACES;
}
