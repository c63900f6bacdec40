import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LICENSE_TEXTS } from '../license-texts.ts';
import { messages } from '../messages.ts';
import { InlineError } from './inline-error.tsx';
import styles from './license-texts.module.css';

/** The texts of the licences in an SPDX expression, each fetched when it is opened. */
export function LicenseTexts({ expression }: { expression: string }) {
  const named = new Set(expression.match(/[\w.-]+/g)?.map((name) => name.replace(/\+$/, '')));
  return [...named]
    .filter((name) => name in LICENSE_TEXTS)
    .map((name) => <LicenseText key={name} name={name} />);
}

function LicenseText({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['license-text', name],
    queryFn: () => LICENSE_TEXTS[name]?.() ?? '',
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <details className={styles.text} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.credits.text(name)}</summary>
      <InlineError error={error} />
      {data !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <pre tabIndex={0}>{data}</pre>
      )}
    </details>
  );
}
