import type { ImageDescription, ModelDescription, TextDescription } from './description.ts';

/** A model hub repository that holds a model, and the commit used unless another is requested. */
export interface HubRepository {
  /** `<owner>/<name>` */
  repository: string;
  commit: string;
  /** SHA-256 that files of the hub must have, by path. */
  sha256: Readonly<Record<string, string>>;
}

/** What is known of a model by its name, so that it can be installed from files without a description. */
export interface Recipe extends Pick<ModelDescription, 'dim' | 'relatedFrom'> {
  /** The names that its files have in exports; the first one found is taken. */
  names: Readonly<Record<'image' | 'text' | 'tokenizer', readonly string[]>>;
  /** How it expects its pictures; absent if it encodes none. */
  image?: Omit<ImageDescription, 'model'>;
  text: Omit<TextDescription, 'model' | 'tokenizer'>;
  hub: HubRepository;
}

const WHOLE_MODELS: Recipe['names'] = {
  image: ['image.onnx', 'vision_model.onnx'],
  text: ['text.onnx', 'text_model.onnx'],
  tokenizer: ['tokenizer.json'],
};

/**
 * SigLIP 2. Pictures: open_clip `ViT-B-16-SigLIP2.json` (224 px) with the SigLIP defaults of `pretrained.py` (mean and
 * deviation 0.5, bicubic, squashed). Texts: the same file (64 tokens, `clean: canonicalize`) with the Gemma vocabulary,
 * whose tokenizer adds no token before the text, `<eos>` (1) after it and `<pad>` (0) up to the length; the last
 * position is pooled, so the padding matters. Outputs have the names that ONNX exports of transformers'
 * `SiglipVisionModel` and `SiglipTextModel` give them.
 */
const SIGLIP2: Pick<Recipe, 'dim' | 'image' | 'text'> = {
  dim: 768,
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
const CLIP: Pick<Recipe, 'image' | 'text'> = {
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
    script: 'Latin',
  },
};

/** The mean of the vectors of the tokens, as sentence-transformers' `modules.json` of both models has it. */
const SENTENCES = {
  input: 'input_ids',
  output: 'last_hidden_state',
  length: 128,
  clean: 'whitespace',
  pooling: 'mean',
  meaning: 'title',
} satisfies Partial<Recipe['text']>;

/**
 * The models that are known by name: the commit that public projects pin, and the hashes that at least two of them state
 * independently of each other (docs/decisions/vectors-and-models.md names the sources).
 */
export const RECIPES: ReadonlyMap<string, Recipe> = new Map<string, Recipe>([
  [
    'open_clip/ViT-B-16-SigLIP2/webli',
    {
      ...SIGLIP2,
      names: WHOLE_MODELS,
      hub: {
        repository: 'onnx-community/siglip2-base-patch16-224-ONNX',
        commit: 'ba1f3b0843f24bc5417d38e19c37b287d719b2f4',
        sha256: {
          'onnx/vision_model.onnx': 'c0573e3f4140c3a7c4e9cc5912bd6b26a033b46a6a8e8af26cbea262b163bcad',
          'onnx/text_model.onnx': 'baf12d941beabafafb14f7b4adb38dc15be18681b964a84410ec53d9d65e6293',
          'tokenizer.json': 'cb9140fae3ac5122c972d37adf83e1248471a38147ad76f8215c8872c6fd8322',
        },
      },
    },
  ],
  [
    'open_clip/ViT-B-16-SigLIP2/webli-int8',
    {
      ...SIGLIP2,
      names: {
        image: ['vision_model_int8.onnx'],
        text: ['text_model_int8.onnx'],
        tokenizer: ['tokenizer.json'],
      },
      hub: {
        repository: 'onnx-community/siglip2-base-patch16-224-ONNX',
        commit: 'ba1f3b0843f24bc5417d38e19c37b287d719b2f4',
        sha256: {
          'onnx/vision_model_int8.onnx': '0dd31785a2713f1113ef2272472165c69d580473dae38d7b47568ac587795e70',
          'onnx/text_model_int8.onnx': '3a0603d3a00c05a80a6ded4743c16aaac7b1e62cdcc7e362e7ce418659b96400',
          'tokenizer.json': 'cb9140fae3ac5122c972d37adf83e1248471a38147ad76f8215c8872c6fd8322',
        },
      },
    },
  ],
  [
    'open_clip/ViT-L-14/openai',
    {
      ...CLIP,
      dim: 768,
      names: WHOLE_MODELS,
      hub: {
        repository: 'Xenova/clip-vit-large-patch14',
        commit: 'c307790166907339eed5a9a53a249af534102536',
        sha256: {
          'onnx/vision_model.onnx': 'ff49f8aa57c7abfd26e382eb083e4dbf988505223a9bd3767dbfd4e729206709',
        },
      },
    },
  ],
  [
    'open_clip/ViT-B-32/openai-int8',
    {
      ...CLIP,
      dim: 512,
      names: {
        image: ['vision_model_quantized.onnx'],
        text: ['text_model_quantized.onnx'],
        tokenizer: ['tokenizer.json'],
      },
      hub: {
        repository: 'Xenova/clip-vit-base-patch32',
        commit: 'd15189d7028b43f1d3e65039190477f6af591c2a',
        sha256: {
          'onnx/vision_model_quantized.onnx':
            '583fd1110a514667812fee7d684952aaf82a99b959760c8d7dca7e0ab9839299',
          'onnx/text_model_quantized.onnx':
            '73baab855d406190da9faa498cfedf65f15cf309f4cc7385b7b032e6d08e5c3a',
          'tokenizer.json': 'f7f3b7af117d467b58374797691a6438d3e6b9e9cef800dfd5dced7f697a90cd',
        },
      },
    },
  ],
  [
    'sentence_transformers/all-MiniLM-L6-v2/int8',
    {
      dim: 384,
      relatedFrom: 0.39,
      names: {
        image: [],
        text: ['model_quantized.onnx', 'all-minilm-l6-v2-q.onnx'],
        tokenizer: ['tokenizer.json', 'all-minilm-l6-v2-q-tokenizer.json'],
      },
      // The vocabulary of BERT: `[CLS]` (101) before the text, `[SEP]` (102) after it.
      text: { ...SENTENCES, start: 101, end: 102, pad: 0, script: 'Latin' },
      hub: {
        repository: 'Xenova/all-MiniLM-L6-v2',
        commit: '751bff37182d3f1213fa05d7196b954e230abad9',
        sha256: {
          'onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
          'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
        },
      },
    },
  ],
  [
    'sentence_transformers/paraphrase-multilingual-MiniLM-L12-v2/int8',
    {
      dim: 384,
      names: { image: [], text: ['model_quantized.onnx'], tokenizer: ['tokenizer.json'] },
      // The vocabulary of XLM-R: `<s>` (0) before the text, `</s>` (2) after it.
      text: { ...SENTENCES, start: 0, end: 2, pad: 1 },
      hub: {
        repository: 'Xenova/paraphrase-multilingual-MiniLM-L12-v2',
        commit: '2c4055b12046f11709e9df2c122e59ffbdc2f900',
        sha256: {
          'onnx/model_quantized.onnx': '66fc00f5f29afcaff34092e1bdd20008ca3918265a82fb9695a551e510cc4ebc',
          'tokenizer.json': 'b60b6b43406a48bf3638526314f3d232d97058bc93472ff2de930d43686fa441',
        },
      },
    },
  ],
]);
