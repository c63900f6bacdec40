/** Bytes from `start` up to and including `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** More ranges than this are not worth their heads: the whole file is sent. */
const MAX_RANGES = 32;

/**
 * Parses a `Range` header (RFC 9110, section 14) for a file of `size` bytes. Returns the requested ranges that contain
 * bytes of the file, `unsatisfiable` if none does, or null if the whole file is to be sent: no header, another unit, a
 * malformed header, an empty file, or ranges that are too many or together longer than the file.
 */
export function parseRanges(header: string | undefined, size: number): ByteRange[] | 'unsatisfiable' | null {
  // Some clients ask for the first byte of a file to learn its size.
  if (size === 0) return null;
  const [, list] = /^bytes=(.*)$/i.exec(header ?? '') ?? [];
  const specs = list?.split(',', MAX_RANGES + 1) ?? [];
  if (specs.length === 0 || specs.length > MAX_RANGES) return null;
  const parsed = specs.map((spec) => parseRange(spec, size));
  if (parsed.includes(null)) return null;
  const ranges = parsed.filter((range) => range !== null && range !== 'unsatisfiable');
  if (ranges.length === 0) return 'unsatisfiable';
  const total = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  return ranges.length > 1 && total > size ? null : ranges;
}

function parseRange(spec: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^[ \t]*(\d*)-(\d*)[ \t]*$/.exec(spec) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const suffix = Number(last);
    if (suffix === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end };
}
