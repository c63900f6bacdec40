import type { PickedPlan } from '@bindery/sdk/browser/push';
import { messages } from '../../messages.ts';
import { Confirm, onSingleClick } from '../../parts/actions.tsx';
import form from '../../parts/form.module.css';
import styles from './push.module.css';

/** Publishes the plan shown above it. What removes anything but single files must be confirmed. */
export function PublishPlan({ plan, onPublish }: { plan: PickedPlan; onPublish: () => void }) {
  const text = messages.push;
  const { unchanged, assets, removedMetadata, withheld } = plan.changes;
  const removals = removedMetadata.length + withheld.length;
  const label = plan.revision === null ? text.publishNew : text.publish;
  return (
    <div className={styles.publish}>
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
        <button type="button" className={form.button} disabled={unchanged} onClick={onSingleClick(onPublish)}>
          {label}
        </button>
      )}
    </div>
  );
}
