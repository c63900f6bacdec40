import { UnreadableFileError } from './unreadable.ts';

/**
 * Decodes the text of a model: by its byte order mark, as UTF-16 where every other byte of its beginning is zero, in
 * the encoding that it declares, else as UTF-8. Bytes that are not valid UTF-8 are read as windows-1252, in which older
 * tools wrote without saying so.
 */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
  const named = declared?.toLowerCase();
  // Whoever declares UTF-16 in single bytes converted the file and not its declaration.
  if (named !== undefined && !/^utf-?(?:8|16|32)/.test(named)) return decoderFor(named).decode(bytes);
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * A text as the readers of plain formats expect it: in single bytes, without a byte order mark, and with line feeds where
 * lines end as on old Macs. Anything else is returned unchanged, binary files as well.
 */
export function asPlainText(bytes: Uint8Array): Uint8Array {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    const wide = decodeText(bytes);
    return wide.includes('\0') ? bytes : asPlainText(new TextEncoder().encode(wide));
  }
  const text = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  const isOfMac = text.includes(CARRIAGE_RETURN) && !text.includes(LINE_FEED) && !text.includes(0);
  return isOfMac ? text.map((byte) => (byte === CARRIAGE_RETURN ? LINE_FEED : byte)) : text;
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    throw new UnreadableFileError(`written in an unknown encoding: ${encoding.slice(0, 40)}`);
  }
}

function wideEncoding([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : undefined;
}

/** Decodes a percent-encoded reference; returns it unchanged if the encoding is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
