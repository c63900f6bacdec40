import { describeRule } from '@bindery/sdk/browser';
import type { AssetPreview, PickedPlan } from '@bindery/sdk/browser/push';
import { useEffect, useRef, useState } from 'react';
import { formatName } from '../../format.ts';
import { assetMessages } from '../../messages/asset.ts';
import { pushMessages as text } from '../../messages/push.ts';
import { Confirm, onSingleClick } from '../../parts/actions.tsx';
import { Button } from '../../parts/button.tsx';
import { Fact } from '../../parts/card.tsx';
import styles from './push.module.css';

const SHOWN = 200;

type Change = 'added' | 'changed' | 'removed' | 'unchanged';

const LOOKS = { added: 'good', changed: '', removed: 'bad', unchanged: 'soft' } as const;

interface Row {
  id: string;
  change: Change;
  /** Null for an asset that is removed. */
  asset: AssetPreview | null;
}

/** What a push will do or has done, asset by asset, and where each value comes from. */
export function Plan({
  plan,
  title,
  problems,
}: {
  plan: PickedPlan;
  title: string;
  /** What went wrong with assets, by id. */
  problems: ReadonlyMap<string, string>;
}) {
  const rows = rowsOf(plan);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  const { assets, upload } = plan.changes;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The button or field that asked for the plan is gone by now, and the focus with it.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section className="stack" aria-label={title}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <ul className="row detail">
        {(['added', 'changed', 'removed'] as const).map((change) => (
          <li key={change} className={assets[change].length > 0 ? LOOKS[change] : undefined}>
            {text.count[change](assets[change].length)}
          </li>
        ))}
        <li>{text.count.unchanged(assets.unchanged)}</li>
        <li>{text.toSend(upload.files, upload.bytes)}</li>
      </ul>
      <Notes
        title={text.removals}
        lines={[
          ...plan.changes.removedMetadata.map(({ asset, keys }) => text.loses(asset, keys)),
          ...plan.changes.withheld.map((file) => text.withheld(file.path, describeRule(file))),
        ]}
        isOpen
      />
      <Notes title={text.warnings(plan.warnings.length)} lines={plan.warnings} />
      <ul className="surface" aria-label={text.assets}>
        {shown.map((row) => (
          <PlannedAsset key={row.id} {...row} problem={problems.get(row.id) ?? null} />
        ))}
      </ul>
      {shown.length < rows.length && (
        <Button label={text.showAll(rows.length)} onClick={() => setWhole(true)} />
      )}
      <Notes
        title={text.leftOut(plan.leftOut.length)}
        lines={plan.leftOut.map((one) => `${one.path} (${describeRule(one)})`)}
      />
    </section>
  );
}

function PlannedAsset({ id, change, asset, problem }: Row & { problem: string | null }) {
  return (
    <li className={styles.row}>
      <span className={`detail ${styles.change} ${LOOKS[change]}`}>{text.change[change]}</span>
      <div className="stack">
        <h3>{asset?.title ?? id}</h3>
        {problem !== null && <p className={styles.problem}>{text.thumbnails.problem(problem)}</p>}
        {asset && (
          <dl className={styles.facts}>
            <Fact name={text.id} value={id} />
            <Fact name={assetMessages.kind} value={sourced(formatName(asset), asset.from.kind)} />
            <Fact name={assetMessages.entry} value={sourced(asset.entry, asset.from.entry)} />
            <Fact name={assetMessages.files} value={text.files(asset.files, asset.bytes)} />
            <Fact
              name={assetMessages.license}
              value={sourced(asset.license ?? assetMessages.noLicense, asset.from.license)}
            />
            <Fact
              name={assetMessages.attribution}
              value={sourced(asset.attribution, asset.from.attribution)}
            />
            <Fact name={assetMessages.tags} value={sourced(asset.tags.join(', '), asset.from.tags)} />
          </dl>
        )}
      </div>
    </li>
  );
}

/** With where a value comes from. */
function sourced(value: string | null, from: string | undefined) {
  return (
    value && (
      <>
        {value}
        {from !== undefined && <span className="soft"> {text.from(from)}</span>}
      </>
    )
  );
}

function Notes({
  title,
  lines,
  isOpen = false,
}: {
  title: string;
  lines: readonly string[];
  isOpen?: boolean;
}) {
  if (lines.length === 0) return null;
  return (
    <details className={styles.notes} open={isOpen}>
      <summary>{title}</summary>
      <ul>
        {lines.slice(0, SHOWN).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

/** Removals come first, because they matter most to the user; unchanged assets come last. */
const ORDER: readonly Change[] = ['removed', 'changed', 'added', 'unchanged'];

function rowsOf({ changes, preview }: PickedPlan): Row[] {
  const added = new Set(changes.assets.added);
  const changed = new Set(changes.assets.changed);
  const changeOf = (id: string): Change =>
    added.has(id) ? 'added' : changed.has(id) ? 'changed' : 'unchanged';
  const rows: Row[] = [
    ...changes.assets.removed.map((id): Row => ({ id, change: 'removed', asset: null })),
    ...preview.map((asset): Row => ({ id: asset.id, change: changeOf(asset.id), asset })),
  ];
  return rows.sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
}

/** Publishes the plan shown above it. What removes anything but single files must be confirmed. */
export function PublishPlan({ plan, onPublish }: { plan: PickedPlan; onPublish: () => void }) {
  const { unchanged, assets, removedMetadata, withheld } = plan.changes;
  const removals = removedMetadata.length + withheld.length;
  const label = plan.revision === null ? text.publishNew : text.publish;
  return (
    <div className={`row ${styles.publish}`}>
      {unchanged && <p>{text.nothingToDo}</p>}
      {assets.removed.length + removals > 0 ? (
        <Confirm
          label={label}
          title={assets.removed.length > 0 ? text.removeTitle(assets.removed.length) : text.removalsTitle}
          detail={[
            ...(assets.removed.length > 0 ? [text.removeDetail] : []),
            ...(removals > 0 ? [text.removalsDetail] : []),
          ].join(' ')}
          action={async () => onPublish()}
        />
      ) : (
        <Button isMain label={label} disabled={unchanged} onClick={onSingleClick(onPublish)} />
      )}
    </div>
  );
}
