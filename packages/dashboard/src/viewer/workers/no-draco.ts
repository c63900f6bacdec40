/** Stands in for the decoder that Node has: parts of robots packed with Draco are named as missing. */
export default function createDracoDecoder(): Promise<object> {
  return Promise.reject(new Error('Draco is opened in whole assets of glTF, not in parts of robots'));
}
