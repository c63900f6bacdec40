import { halfToNumber } from '../files/bytes.ts';
import type { SplatCloud } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { SplatCloudBuilder } from './cloud.ts';

const HEADER_BYTES = 4096;
const SECTION_HEADER_BYTES = 1024;
const HARMONICS = [0, 9, 24, 45];
/** Bytes of one harmonic coefficient, and of a splat without them, by compression level. */
const HARMONIC_BYTES = [4, 2, 1];
const SPLAT_BYTES = [44, 24, 24];

interface Section {
  readonly splats: number;
  readonly capacity: number;
  readonly bucketCapacity: number;
  readonly fullBuckets: number;
  readonly splatBytes: number;
  /** The length of a 16-bit step. */
  readonly step: number;
  readonly range: number;
  readonly partialStart: number;
  readonly partialBuckets: number;
  readonly centersStart: number;
  readonly dataStart: number;
  readonly end: number;
}

/**
 * `.ksplat`: sections of splats in buckets, plain at compression level 0, above it as half floats with positions in
 * 16-bit steps from the centre of their bucket. https://github.com/mkkellogg/GaussianSplats3D
 */
export function loadKsplat(bytes: Uint8Array, budget: Budget): SplatCloud {
  if (bytes.byteLength < HEADER_BYTES) throw new Unrenderable('the KSPLAT file ends before its header does');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const level = view.getUint16(20, true);
  if (view.getUint8(0) !== 0 || level > 2) throw new Unrenderable('a KSPLAT file of unknown version');
  const sections = readSections(view, level);
  const builder = new SplatCloudBuilder(
    sections.reduce((sum, section) => sum + section.splats, 0),
    budget,
  );
  let splat = 0;
  for (const section of sections) {
    for (const [index, bucket] of bucketsOf(view, section))
      readSplat(view, level, section, index, bucket, splat++, builder);
  }
  return builder.fromYDown();
}

function readSections(view: DataView, level: number): Section[] {
  const count = view.getUint32(4, true);
  let at = HEADER_BYTES + count * SECTION_HEADER_BYTES;
  if (at > view.byteLength) throw new Unrenderable('the KSPLAT file ends before its sections do');
  const sections: Section[] = [];
  for (let index = 0; index < count; index++) {
    const section = readSection(view, level, HEADER_BYTES + index * SECTION_HEADER_BYTES, at);
    if (section.end > view.byteLength || section.splats > section.capacity) {
      throw new Unrenderable('the KSPLAT file ends before its splats do');
    }
    at = section.end;
    sections.push(section);
  }
  return sections;
}

function readSection(view: DataView, level: number, header: number, start: number): Section {
  const word = (offset: number) => view.getUint32(header + offset, true);
  const range = word(24) || (level === 0 ? 1 : 32767);
  const partialBuckets = word(36);
  const centersStart = start + partialBuckets * 4;
  const dataStart = centersStart + view.getUint16(header + 20, true) * word(12);
  const harmonics = HARMONICS[view.getUint16(header + 40, true)] ?? 0;
  const splatBytes = (SPLAT_BYTES[level] as number) + harmonics * (HARMONIC_BYTES[level] as number);
  return {
    splats: word(0),
    capacity: word(4),
    bucketCapacity: Math.max(1, word(8)),
    fullBuckets: word(32),
    splatBytes,
    step: view.getFloat32(header + 16, true) / 2 / range,
    range,
    partialStart: start,
    partialBuckets,
    centersStart,
    dataStart,
    end: dataStart + splatBytes * word(4),
  };
}

/** The index of each splat of a section with that of its bucket: full ones first, then partial ones of listed sizes. */
function* bucketsOf(view: DataView, section: Section): Generator<[number, number]> {
  const inFull = section.fullBuckets * section.bucketCapacity;
  let bucket = section.fullBuckets;
  let bucketEnd = inFull + partialSize(view, section, 0);
  for (let index = 0; index < section.splats; index++) {
    if (index < inFull) yield [index, Math.floor(index / section.bucketCapacity)];
    else {
      while (index >= bucketEnd && bucket - section.fullBuckets + 1 < section.partialBuckets) {
        bucket++;
        bucketEnd += partialSize(view, section, bucket - section.fullBuckets);
      }
      yield [index, bucket];
    }
  }
}

function partialSize(view: DataView, section: Section, index: number): number {
  return index < section.partialBuckets ? view.getUint32(section.partialStart + index * 4, true) : 0;
}

function readSplat(
  view: DataView,
  level: number,
  section: Section,
  index: number,
  bucket: number,
  splat: number,
  builder: SplatCloudBuilder,
): void {
  const at = section.dataStart + index * section.splatBytes;
  const [positionBytes, size] = level === 0 ? [12, 4] : [6, 2];
  const value = (offset: number) =>
    level === 0 ? view.getFloat32(at + offset, true) : halfToNumber(view.getUint16(at + offset, true));
  const coordinate = (axis: number) => {
    if (level === 0) return view.getFloat32(at + axis * 4, true);
    const center = section.centersStart + (bucket * 3 + axis) * 4;
    if (center + 4 > section.dataStart)
      throw new Unrenderable('the KSPLAT file names a bucket that does not exist');
    return (
      (view.getUint16(at + axis * 2, true) - section.range) * section.step + view.getFloat32(center, true)
    );
  };
  builder.position(splat, coordinate(0), coordinate(1), coordinate(2));
  builder.scale(splat, value(positionBytes), value(positionBytes + size), value(positionBytes + size * 2));
  const turn = positionBytes + size * 3;
  builder.rotation(splat, value(turn + size), value(turn + size * 2), value(turn + size * 3), value(turn));
  const byte = (k: number) => view.getUint8(at + turn + size * 4 + k) / 255;
  builder.color(splat, byte(0), byte(1), byte(2), byte(3));
}
