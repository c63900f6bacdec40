import type { ImageDescription, TextDescription } from './description.ts';

/** How a model known by name expects its pictures and texts, for exports that come without a description. */
export interface Recipe {
  image: Omit<ImageDescription, 'model'>;
  text: Omit<TextDescription, 'model' | 'tokenizer'>;
}

/**
 * SigLIP 2. Pictures: open_clip `ViT-B-16-SigLIP2.json` (224 px) with the SigLIP defaults of `pretrained.py` (mean and
 * deviation 0.5, bicubic, squashed). Texts: the same file (64 tokens, `clean: canonicalize`) with the Gemma vocabulary,
 * whose tokenizer adds no token before the text, `<eos>` (1) after it and `<pad>` (0) up to the length; the last
 * position is pooled, so the padding matters. Outputs have the names that ONNX exports of transformers'
 * `SiglipVisionModel` and `SiglipTextModel` give them.
 */
const SIGLIP2: Recipe = {
  image: {
    input: 'pixel_values',
    output: 'pooler_output',
    size: 224,
    resize: 'squash',
    mean: [0.5, 0.5, 0.5],
    std: [0.5, 0.5, 0.5],
  },
  text: {
    input: 'input_ids',
    output: 'pooler_output',
    length: 64,
    clean: 'canonicalize',
    start: null,
    end: 1,
    pad: 0,
  },
};

/**
 * OpenAI's CLIP. Pictures: open_clip `constants.py` (mean and deviation of the training set) and `transform.py`
 * (224 px, bicubic on the shorter side, centre crop). Texts: open_clip `tokenizer.py` (77 tokens, lower case,
 * `<start_of_text>` 49406 before, `<end_of_text>` 49407 after, even if the text is truncated, then zeros). Outputs have
 * the names that exports of transformers' `CLIPVisionModelWithProjection` and `CLIPTextModelWithProjection` give them.
 */
const CLIP: Recipe = {
  image: {
    input: 'pixel_values',
    output: 'image_embeds',
    size: 224,
    resize: 'shortest',
    mean: [0.48145466, 0.4578275, 0.40821073],
    std: [0.26862954, 0.26130258, 0.27577711],
  },
  text: {
    input: 'input_ids',
    output: 'text_embeds',
    length: 77,
    clean: 'lower',
    start: 49_406,
    end: 49_407,
    pad: 0,
  },
};

export const RECIPES: ReadonlyMap<string, Recipe> = new Map([
  ['open_clip/ViT-B-16-SigLIP2/webli', SIGLIP2],
  ['open_clip/ViT-L-14/openai', CLIP],
]);
