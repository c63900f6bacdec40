import type { ManifestDiff } from '@bindery/sdk/diff';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toAsset } from '../../links.ts';
import { compareMessages } from '../../messages/compare.ts';
import { Button } from '../../parts/button.tsx';
import { ChangedAssetCard } from './changed-asset.tsx';
import { ChangedLibrary } from './changed-library.tsx';
import type { Sides, Version } from './version.ts';

/** How many changed assets are shown at first, and each time that more are asked for. */
const FEW = 20;

/** What differs between the two sides: of the library, and asset by asset. */
export function ShownDifferences({
  sides,
  diff,
  hasSameReadme = false,
}: {
  sides: Sides;
  diff: ManifestDiff;
  /** Whether the README need not be compared. */
  hasSameReadme?: boolean;
}) {
  const text = compareMessages;
  const [shown, setShown] = useState(FEW);
  const { assets, files, library, changes } = diff;
  const isSame = [assets, files].every((one) => Object.values(one).every((names) => names.length === 0));
  return (
    <>
      <p role="status">{isSame ? text.same : text.summary(assets, files)}</p>
      <ChangedLibrary sides={sides} facts={library} hasSameReadme={hasSameReadme} />
      {assets.added.length > 0 && (
        <section className="card" aria-label={text.addedAssets}>
          <h2>{text.addedAssets}</h2>
          <Names ids={assets.added} sides={sides} version={sides.to} />
        </section>
      )}
      {assets.removed.length > 0 && (
        <section className="card" aria-label={text.removedAssets}>
          <h2>{text.removedAssets}</h2>
          <Names ids={assets.removed} sides={sides} version={sides.from} />
        </section>
      )}
      {changes.length > 0 && (
        <section className="stack" aria-label={text.changedAssets}>
          <h2>{text.changedAssets}</h2>
          {changes.slice(0, shown).map((change) => (
            <ChangedAssetCard key={change.id} sides={sides} change={change} />
          ))}
          {changes.length > shown && (
            <Button label={text.more(changes.length - shown)} onClick={() => setShown(shown + FEW)} />
          )}
        </section>
      )}
    </>
  );
}

/** Assets that only one side has, with links to those that have a page. */
function Names({ ids, sides, version }: { ids: readonly string[]; sides: Sides; version: Version }) {
  const release = typeof version === 'object' && 'release' in version ? version.release : undefined;
  const hasPages = version === 'current' || release !== undefined;
  return (
    <ul className="row">
      {ids.map((id) => (
        <li key={id}>{hasPages ? <Link {...toAsset({ ...sides.library, release }, id)}>{id}</Link> : id}</li>
      ))}
    </ul>
  );
}
