import { type ReactNode, useState } from 'react';

/** A part of a page in a box, below its heading; a landmark if `isRegion`. */
export function Card({
  title,
  detail,
  isRegion = false,
  children,
}: {
  title: string;
  detail?: string;
  isRegion?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="card" aria-label={isRegion ? title : undefined}>
      <h2>{title}</h2>
      {detail !== undefined && <p className="detail">{detail}</p>}
      {children}
    </section>
  );
}

/** A line of a list: what it is about, more below that, and the rest at its end. */
export function Line({
  name,
  detail,
  children,
}: {
  name: ReactNode;
  detail: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li>
      <span>
        {name}
        <br />
        <span className="detail">{detail}</span>
      </span>
      {children}
    </li>
  );
}

/** A line of a list with a word about it at its end. */
export function Pair({ name, value }: { name: ReactNode; value: string }) {
  return (
    <li>
      {name}
      <span className="detail">{value}</span>
    </li>
  );
}

/** What is known of something, by the name of the fact; empty if it is not known. */
export function Fact({
  name,
  value,
  className,
}: {
  name: string;
  value: ReactNode;
  className?: string | undefined;
}) {
  if (value === null || value === undefined || value === '') return null;
  return (
    <div className={className}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** What is shown on request, below its summary; it is not there, and asks for nothing, before it is opened. */
export function Fold({
  summary,
  label,
  className,
  children,
}: {
  summary: ReactNode;
  /** Names the summary where several say the same. */
  label?: string;
  className?: string | undefined;
  /** Given what closes it, if that is of use there. */
  children: ReactNode | ((close: () => void) => ReactNode);
}) {
  const [isOpen, setOpen] = useState(false);
  const shown = () => (typeof children === 'function' ? children(() => setOpen(false)) : children);
  return (
    <details className={className} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label}>{summary}</summary>
      {isOpen && shown()}
    </details>
  );
}
