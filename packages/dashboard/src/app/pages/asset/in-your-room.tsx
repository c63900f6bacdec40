import { CERTIFIED_KINDS, rawPath } from '@bindery/contract/wire';
import { assetMessages } from '../../messages/asset.ts';
import type { AssetProps } from '../../queries.ts';

/** Opens a public model in the augmented reality of a phone: as USDZ on those of Apple, as GLB on those of Google. */
export function InYourRoom({ library, asset }: AssetProps) {
  const isModel = CERTIFIED_KINDS.has(asset.kind) || asset.kind === 'mesh';
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  if (!isModel || !(isApple || /Android/.test(navigator.userAgent))) return null;
  const { namespace, library: name, release } = library;
  const raw = `${location.origin}${rawPath({ namespace, name, release }, asset.id)}`;
  const glb = encodeURIComponent(asset.format === 'glb' ? raw : `${raw}?as=glb`);
  const viewer = `intent://arvr.google.com/scene-viewer/1.0?file=${glb}&mode=ar_preferred#Intent;scheme=https;package=com.google.android.googlequicksearchbox;action=android.intent.action.VIEW;end;`;
  return (
    <a href={isApple ? `${raw}.usdz` : viewer} rel={isApple ? 'ar' : undefined} className="quiet">
      {/* Without a picture in it, Safari downloads the file. */}
      <img src={asset.thumbnailUrl ?? ''} alt="" width="24" height="24" />
      {assetMessages.inYourRoom}
    </a>
  );
}
