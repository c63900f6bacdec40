import type { ReactNode } from 'react';
import form from './form.module.css';

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
    <section className={form.card} aria-label={isRegion ? title : undefined}>
      <h2>{title}</h2>
      {detail !== undefined && <p className={form.soft}>{detail}</p>}
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
        <span className={form.soft}>{detail}</span>
      </span>
      {children}
    </li>
  );
}
