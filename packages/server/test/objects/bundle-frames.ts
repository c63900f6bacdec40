/** One file of a bundle of uploads. */
export function framed(address: string, content: Uint8Array): Buffer<ArrayBuffer> {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(address.length);
  return Buffer.concat([length, Buffer.from(address), content]);
}
