declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  export default function createDecoderModule(options?: object): Promise<object>;
}
