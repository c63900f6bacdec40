import { Link } from '@tanstack/react-router';
import { toNamespace, toSection } from '../../links.ts';
import { pushMessages as text } from '../../messages/push.ts';
import { messages } from '../../messages.ts';
import { onSingleClick } from '../../parts/actions.tsx';
import { Button } from '../../parts/button.tsx';
import { QUOTA_ID } from '../../parts/quota-figures.tsx';
import type { Failure, Target } from '../../push/protocol.ts';
import styles from './push.module.css';

/** Shows why a push stopped, and a button to resume it. */
export function PushFailure({
  failure: { kind, message },
  target,
  hasPlan,
  onAgain,
  onGoOn,
}: {
  failure: Failure;
  target: Target | null;
  hasPlan: boolean;
  /** Plans the push again. */
  onAgain: () => void;
  /** Publishes the existing plan. */
  onGoOn: () => void;
}) {
  const goesOn = hasPlan && (kind === 'unreachable' || kind === 'inTrash' || kind === 'quota');
  return (
    <section className={`stack ${styles.failed}`}>
      <p role="alert" className="alert">
        {failureMessage(kind, message, hasPlan)}
      </p>
      <div className="actions">
        <Button
          isMain
          label={goesOn ? text.goOn : text.planAgain}
          onClick={onSingleClick(goesOn ? onGoOn : onAgain)}
        />
        {kind === 'inTrash' && target && (
          <Link {...toSection(target.namespace, 'trash')} target="_blank" className="quiet">
            {text.openTrash}
          </Link>
        )}
        {kind === 'quota' && target && (
          <Link {...toNamespace(target.namespace)} hash={QUOTA_ID} target="_blank" className="quiet">
            {text.openQuota}
          </Link>
        )}
      </div>
    </section>
  );
}

function failureMessage(kind: Failure['kind'], message: string, hasPlan: boolean): string {
  if (kind === 'other' || kind === 'quota') return message;
  if (kind === 'unreachable') return hasPlan ? text.interrupted : messages.failure.unreachable;
  return text[kind];
}
