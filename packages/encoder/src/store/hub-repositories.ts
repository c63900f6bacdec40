/** A model hub repository that holds a model, and the commit used unless another is requested. */
export interface HubRepository {
  /** `<owner>/<name>` */
  repository: string;
  commit: string;
  /** SHA-256 that files of the hub must have, by path. */
  sha256: Readonly<Record<string, string>>;
}

/**
 * Where to find ONNX exports of the models known by name: the commit that public projects pin, and the hashes that at
 * least two of them state independently of each other (docs/decisions/vectors-and-models.md names the sources).
 */
export const HUB_REPOSITORIES: ReadonlyMap<string, HubRepository> = new Map<string, HubRepository>([
  [
    'open_clip/ViT-B-16-SigLIP2/webli',
    {
      repository: 'onnx-community/siglip2-base-patch16-224-ONNX',
      commit: 'ba1f3b0843f24bc5417d38e19c37b287d719b2f4',
      sha256: {
        'onnx/vision_model.onnx': 'c0573e3f4140c3a7c4e9cc5912bd6b26a033b46a6a8e8af26cbea262b163bcad',
        'onnx/text_model.onnx': 'baf12d941beabafafb14f7b4adb38dc15be18681b964a84410ec53d9d65e6293',
        'tokenizer.json': 'cb9140fae3ac5122c972d37adf83e1248471a38147ad76f8215c8872c6fd8322',
      },
    },
  ],
  [
    'open_clip/ViT-L-14/openai',
    {
      repository: 'Xenova/clip-vit-large-patch14',
      commit: 'c307790166907339eed5a9a53a249af534102536',
      sha256: {
        'onnx/vision_model.onnx': 'ff49f8aa57c7abfd26e382eb083e4dbf988505223a9bd3767dbfd4e729206709',
      },
    },
  ],
]);
