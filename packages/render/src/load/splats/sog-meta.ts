import { Unrenderable } from '../../errors.ts';
import { parseJsonObject } from '../json.ts';

/** `meta.json` of both versions, not validated. */
export interface SogMeta {
  readonly version?: number;
  readonly count?: number;
  readonly means?: SogPart;
  readonly scales?: SogPart;
  readonly quats?: SogPart;
  readonly sh0?: SogPart;
  /** The view-dependent colours. */
  readonly shN?: SogPart;
}

export interface SogPart {
  readonly shape?: readonly number[];
  readonly mins?: readonly number[];
  readonly maxs?: readonly number[];
  readonly codebook?: readonly number[];
  readonly files?: readonly string[];
}

export function parseSogMeta(bytes: Uint8Array): SogMeta {
  return parseJsonObject(bytes, 'the SOG meta.json');
}

/** The number of splats that a SOG declares. */
export function declaredSplatCount({ version, count, means }: SogMeta): number {
  const announced = version === 2 ? count : means?.shape?.[0];
  if (announced === undefined || !Number.isSafeInteger(announced) || announced < 0)
    throw new Unrenderable('the SOG file has no count');
  return announced;
}
