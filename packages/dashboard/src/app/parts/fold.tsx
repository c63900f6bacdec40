import { type ReactNode, useState } from 'react';

/** What is shown on request, below its summary; it is not there, and asks for nothing, before it is opened. */
export function Fold({
  summary,
  label,
  className,
  children,
}: {
  summary: string;
  /** Names the summary where several say the same. */
  label?: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={className} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label}>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
